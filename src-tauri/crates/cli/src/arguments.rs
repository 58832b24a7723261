//! What a person types.

use assay_engine::{Format, Retention};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Reads the session stores of AI coding tools, accounts for every record and byte, and imports what is
/// worth keeping into a local library.
///
/// Stores are only ever read. Nothing leaves this machine.
#[derive(Debug, Parser)]
#[command(name = "assay", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub common: Common,
}

const EXAMPLES: &str = "\
Examples:
  assay detect                        What is there, and where it was looked for
  assay preview                       What an import would keep, recover and lose; writes nothing
  assay import                        Import what is new or changed
  assay search \"getUserName\"          Find it again
  assay --sample preview              The same on built-in sample data

Exit status: 0 done · 1 done, but something failed (it is listed) · 2 wrong usage";

/// Options of every command.
#[derive(Debug, Args)]
pub struct Common {
    /// Print JSON, one object a line, for scripts
    #[arg(long, global = true)]
    pub json: bool,
    /// Use DIR as the home folder, and ignore what the environment says about folders
    #[arg(long, global = true, value_name = "DIR")]
    pub home: Option<PathBuf>,
    /// Only this source (may be given more than once)
    #[arg(long, global = true, value_name = "NAME")]
    pub source: Vec<String>,
    /// Look for a source in this folder too
    #[arg(long, global = true, value_name = "NAME=DIR", value_parser = root)]
    pub root: Vec<(String, PathBuf)>,
    /// Which rules decide what is kept; full unless the settings say otherwise
    #[arg(long, global = true, value_name = "RULES")]
    pub retention: Option<Rules>,
    /// The library file
    #[arg(long, global = true, value_name = "FILE")]
    pub library: Option<PathBuf>,
    /// Work on built-in sample data instead of your own
    #[arg(long, global = true, conflicts_with = "home")]
    pub sample: bool,
}

fn root(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() => Ok((name.to_owned(), folder.into())),
        _ => Err("expected NAME=DIR, for example codex=/mnt/backup/.codex".to_owned()),
    }
}

/// The two retentions, as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Rules {
    /// Only what the published rules keep
    Reference,
    /// Everything that can be recovered
    Full,
}

impl From<Rules> for Retention {
    fn from(rules: Rules) -> Self {
        match rules {
            Rules::Reference => Retention::Reference,
            Rules::Full => Retention::Full,
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Say which sources are there, where they were looked for, and what each place holds
    Detect,
    /// Read everything and show what an import would keep, recover, fold and drop; writes nothing
    #[command(after_help = "\
Examples:
  assay preview --source codex
  assay preview --json --retention reference | jq -r '[.conversationId, .contentHash] | @tsv'
  assay preview --json --no-messages --no-ledger")]
    Preview(Leave),
    /// Import what is new or changed into the library; what is unchanged is not touched
    #[command(after_help = "\
Examples:
  assay import
  assay import --verify               Compare the bytes themselves, not only size and time
  assay import --json | tail -n 1     What was done, in three layers")]
    Import(Import),
    /// List the conversations of the library
    List {
        /// Only those with this text in title, project, folder or id
        text: Option<String>,
    },
    /// Show conversations of the library
    Show {
        /// Ids, as `assay list` prints them
        #[arg(required = true)]
        id: Vec<String>,
        #[command(flatten)]
        leave: Leave,
    },
    /// Find messages in the library: words, identifiers whole and in part, Chinese words of any length
    #[command(after_help = "\
Examples:
  assay search \"error-401\"
  assay search 悬空引用
  assay search --json -- \"--no-verify\"")]
    Search {
        /// What to look for; every word must be in the message
        #[arg(required = true, allow_hyphen_values = false)]
        query: Vec<String>,
        /// At most so many answers
        #[arg(long, default_value_t = 50, value_name = "N")]
        limit: u32,
    },
    /// Write conversations of the library as a document
    #[command(after_help = "\
Formats:
  markdown, html   For people. Secrets that can be told by their look are masked; without ledger and ids
  json             Everything, one conversation a line
  chatcrystal      The remote-ingest payload: what the published rules keep, with portable ids

Examples:
  assay export --format markdown --out talk.md ID
  assay export --format chatcrystal ID ID > payload.json")]
    Export {
        /// In which form
        #[arg(long, value_name = "FORMAT")]
        format: Form,
        /// Write to this file instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Leave secrets as they are
        #[arg(long)]
        no_mask: bool,
        /// Mask secrets in every format
        #[arg(long, conflicts_with = "no_mask")]
        mask: bool,
        /// Ids, as `assay list` prints them
        #[arg(required = true)]
        id: Vec<String>,
    },
    /// Check this build against its built-in fixtures, and count how often your own data crosses each boundary
    Accept {
        /// Do not read your own data
        #[arg(long)]
        no_data: bool,
    },
}

/// The forms of a document, as they are typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Form {
    /// Text for people
    Markdown,
    /// Everything, one object a line
    Json,
    /// One page that needs nothing else
    Html,
    /// A remote-ingest payload
    Chatcrystal,
}

impl From<Form> for Format {
    fn from(form: Form) -> Self {
        match form {
            Form::Markdown => Format::Markdown,
            Form::Json => Format::Json,
            Form::Html => Format::Html,
            Form::Chatcrystal => Format::Chatcrystal,
        }
    }
}

/// How to import.
#[derive(Debug, Clone, Copy, Args)]
pub struct Import {
    /// Read everything and compare the bytes, so that a change with equal size and time is found
    #[arg(long)]
    pub verify: bool,
}

/// What to leave out of JSON lines.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct Leave {
    /// Leave the messages out of the JSON
    #[arg(long)]
    pub no_messages: bool,
    /// Leave the ledger out of the JSON
    #[arg(long)]
    pub no_ledger: bool,
}
