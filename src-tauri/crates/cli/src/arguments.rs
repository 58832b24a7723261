//! What a person types.

use assay_engine::{Format, Kind, MessageType, Retention, Timestamp};
use clap::{Args, Parser, Subcommand, ValueEnum};
use jiff::civil::Date;
use jiff::tz::TimeZone;
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
    #[command(after_help = "\
Examples:
  assay list
  assay list parser --label keep
  assay list --deleted                What `assay restore` can bring back")]
    List(List),
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
  assay search --since 2026-01-01 --role user --project assay deadlock
  assay search --json -- \"--no-verify\"")]
    Search(Search),
    /// Read conversations again from the bytes that the library kept, also those that their tool deleted
    #[command(after_help = "\
An import does this by itself for what a tool deleted, when this version reads it better.

Examples:
  assay reparse
  assay reparse --source codex
  assay reparse ID ID")]
    Reparse {
        /// Ids, as `assay list` prints them; all if there are none
        id: Vec<String>,
    },
    /// Import new and changed conversations as they settle, until it is stopped
    #[command(after_help = "\
Stop it with Ctrl-C at any time; what was written is whole.")]
    Watch {
        /// Look again after so many seconds
        #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
        every: u64,
    },
    /// Say how much the library holds, and what it takes
    Stats,
    /// Read the whole library and say what is wrong with it, and what to do
    #[command(after_help = "Exit status: 0 if nothing is wrong, 1 if something is.")]
    Doctor {
        /// Do what can be done without losing anything
        #[arg(long)]
        fix: bool,
    },
    /// Give room that nothing in the library takes back to the disk
    Vacuum,
    /// Index what was imported since the last time, so that a search finds it at once
    Index {
        /// Make the whole text index anew
        #[arg(long)]
        rebuild: bool,
    },
    /// Copy the library to a new file, while it may go on to be used
    Backup {
        /// The new file
        file: PathBuf,
    },
    /// Move the library to another file or folder, where it is found from then on
    Move {
        /// The new file, or a folder
        file: PathBuf,
    },
    /// Give labels to conversations, or take them away; no import changes them
    #[command(after_help = "\
Examples:
  assay label                         Every label, and how many conversations bear it
  assay label --add keep ID ID
  assay label --remove keep ID")]
    Label {
        /// Give this label (may be given more than once)
        #[arg(long, value_name = "LABEL")]
        add: Vec<String>,
        /// Take this label away (may be given more than once)
        #[arg(long, value_name = "LABEL")]
        remove: Vec<String>,
        /// Ids, as `assay list` prints them
        id: Vec<String>,
    },
    /// Pin conversations; no import changes it
    Pin {
        /// Take the pin away
        #[arg(long)]
        off: bool,
        /// Ids, as `assay list` prints them
        #[arg(required = true)]
        id: Vec<String>,
    },
    /// Delete conversations from the library; imports leave them out until they are restored
    #[command(after_help = "\
The tool's own store is not touched. `assay restore` brings conversations back as they were; after
--purge only an import can, and only what the tool still has.
What is purged is overwritten in the file; its id stays, so that imports know it. Single words of it may
stay in the text index, and what an import replaced before in free room, until `assay vacuum`. Copies
that were made of the library keep what they have.")]
    Delete {
        /// Keep nothing of them; cannot be undone
        #[arg(long)]
        purge: bool,
        /// Ids, as `assay list` prints them
        #[arg(required = true)]
        id: Vec<String>,
    },
    /// Bring deleted conversations back
    Restore {
        /// Ids, as `assay list --deleted` prints them
        #[arg(required = true)]
        id: Vec<String>,
    },
    /// Write conversations of the library as a document
    #[command(after_help = "\
Formats:
  markdown, html   For people. Secrets that can be told by their look are masked; without ledger and ids
  json             Everything, one conversation a line; secrets are not masked without --mask
  chatcrystal      The remote-ingest payload: what the published rules keep, with portable ids; secrets are not
                   masked without --mask
  parquet          Tables for DuckDB, Spark and the like, into a new folder; secrets are masked; without
                   excerpts, notices and originals; all conversations if no id is given

Examples:
  assay export --format markdown --out talk.md ID
  assay export --format chatcrystal ID ID > payload.json
  assay export --format parquet --out tables")]
    Export {
        /// In which form
        #[arg(long, value_name = "FORMAT")]
        format: Form,
        /// Write to this file (for parquet: folder) instead of standard output
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Leave secrets as they are
        #[arg(long)]
        no_mask: bool,
        /// Mask secrets in every format
        #[arg(long, conflicts_with = "no_mask")]
        mask: bool,
        /// Ids, as `assay list` prints them
        #[arg(required_if_eq_any = [
            ("format", "markdown"), ("format", "json"), ("format", "html"), ("format", "chatcrystal"),
        ])]
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
    /// Tables, partitioned by source and month
    Parquet,
}

impl Form {
    /// The form of one document; tables are none.
    pub fn document(self) -> Option<Format> {
        match self {
            Form::Markdown => Some(Format::Markdown),
            Form::Json => Some(Format::Json),
            Form::Html => Some(Format::Html),
            Form::Chatcrystal => Some(Format::Chatcrystal),
            Form::Parquet => None,
        }
    }
}

/// How to import.
#[derive(Debug, Clone, Copy, Args)]
pub struct Import {
    /// Do not keep the bytes that conversations are read from; what is kept of those that changed goes
    #[arg(long)]
    pub no_originals: bool,
    /// Read everything and compare the bytes, so that a change with equal size and time is found
    #[arg(long)]
    pub verify: bool,
}

/// Which conversations to list.
#[derive(Debug, Args)]
pub struct List {
    /// Only those with this text in title, project, folder or id
    pub text: Option<String>,
    /// Only those with this label
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// Only those that are pinned
    #[arg(long)]
    pub pinned: bool,
    /// Only those that their source no longer has
    #[arg(long)]
    pub gone: bool,
    /// Those that were deleted, instead of those that are there
    #[arg(long)]
    pub deleted: bool,
    /// Earlier states of conversations that their source took something back from, instead of the conversations
    #[arg(long, conflicts_with = "deleted")]
    pub earlier: bool,
}

/// What to look for, and where.
#[derive(Debug, Args)]
pub struct Search {
    /// What to look for; every word must be in the message
    #[arg(required = true, allow_hyphen_values = false)]
    pub query: Vec<String>,
    /// At most so many answers
    #[arg(long, default_value_t = 50, value_name = "N")]
    pub limit: u32,
    /// Only conversations of this project, by its name
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    /// Only messages from this day (or time) on; a day is one of this machine's time zone
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub since: Option<Day>,
    /// Only messages up to this day (or time)
    #[arg(long, value_name = "DAY", value_parser = day)]
    pub until: Option<Day>,
    /// Only what this one said
    #[arg(long, value_name = "ROLE")]
    pub role: Option<Role>,
    /// Only messages of this kind (may be given more than once)
    #[arg(long, value_name = "KIND")]
    pub kind: Vec<What>,
    /// Only messages with code in them
    #[arg(long)]
    pub code: bool,
    /// Only messages that use a tool
    #[arg(long)]
    pub tools: bool,
    /// Only conversations of which something was lost
    #[arg(long)]
    pub lossy: bool,
    /// Only messages whose time was made up
    #[arg(long)]
    pub synthetic: bool,
    /// Only conversations with this label
    #[arg(long, value_name = "LABEL")]
    pub label: Option<String>,
    /// Only conversations that are pinned
    #[arg(long)]
    pub pinned: bool,
    /// In earlier states of conversations that their source took something back from, instead of the conversations
    #[arg(long)]
    pub earlier: bool,
}

/// Who says something, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Role {
    /// The person
    User,
    /// The model
    Assistant,
    /// The tool itself
    System,
}

impl From<Role> for MessageType {
    fn from(role: Role) -> Self {
        match role {
            Role::User => MessageType::User,
            Role::Assistant => MessageType::Assistant,
            Role::System => MessageType::System,
        }
    }
}

/// What a message is, as it is typed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum What {
    /// Something said
    Text,
    /// A tool being called
    ToolCall,
    /// What a tool answered
    ToolResult,
    /// The model's reasoning
    Reasoning,
    /// Something that happened
    Event,
    /// A file, an image, context
    Attachment,
    /// Written but never sent
    Draft,
}

impl From<What> for Kind {
    fn from(what: What) -> Self {
        match what {
            What::Text => Kind::Text,
            What::ToolCall => Kind::ToolCall,
            What::ToolResult => Kind::ToolResult,
            What::Reasoning => Kind::Reasoning,
            What::Event => Kind::Event,
            What::Attachment => Kind::Attachment,
            What::Draft => Kind::Draft,
        }
    }
}

/// A day, or a moment: when it begins and when it is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its first millisecond since 1970.
    pub begin: Timestamp,
    /// The first millisecond after it.
    pub end: Timestamp,
}

/// A day of this machine's time zone, which may have 23 or 25 hours, or a moment with its offset.
fn day(text: &str) -> Result<Day, String> {
    day_in(text, &TimeZone::system())
        .ok_or_else(|| "expected a day like 2026-01-31, or a time like 2026-01-31T08:00:00Z".to_owned())
}

fn day_in(text: &str, zone: &TimeZone) -> Option<Day> {
    let moment = |at: jiff::Timestamp| Timestamp::from_millis(at.as_millisecond());
    if let Ok(at) = text.parse::<jiff::Timestamp>() {
        return Some(Day { begin: moment(at)?, end: moment(at)? });
    }
    let day: Date = text.parse().ok()?;
    let begin = |day: Date| moment(day.to_zoned_datetime(zone.clone()).ok()?.timestamp());
    Some(Day { begin: begin(day)?, end: begin(day.tomorrow().ok()?)? })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_as_long_as_it_is_where_the_person_lives() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        for (text, hours) in [("2026-03-28", 24), ("2026-03-29", 23), ("2026-10-25", 25)] {
            let day = day_in(text, &zone).unwrap();
            assert_eq!((day.end.millis() - day.begin.millis()) / 3_600_000, hours, "{text}");
        }
        assert_eq!(day_in("2026-03-28", &zone).unwrap().begin.to_string(), "2026-03-27T23:00:00.000Z");
        assert_eq!(day_in("2026-01-01T08:00:00Z", &zone).unwrap().begin.to_string(), "2026-01-01T08:00:00.000Z");
        assert_eq!(day_in("yesterday", &zone), None);
    }
}
