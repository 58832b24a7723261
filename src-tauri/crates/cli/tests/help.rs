//! What the command line says of itself, word for word: changing it is a decision that is seen.
#![allow(missing_docs)]

/// The help of a command; of the program itself if it is empty.
fn help(command: &str) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let words = ["assay", command, "--help"].into_iter().filter(|w| !w.is_empty()).map(Into::into);
    assert_eq!(assay_cli::run(words, &mut out, &mut err, false), 0);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn help_of_the_program() {
    insta::assert_snapshot!(help(""), @r##"
    Reads the session stores of AI coding tools, accounts for every record and byte, and imports what is worth keeping into a local library.

    Stores are only ever read. Nothing leaves this machine.

    Usage: assay [OPTIONS] <COMMAND>

    Commands:
      detect   Say which sources are there, where they were looked for, and what each place holds
      preview  Read everything and show what an import would keep, recover, fold and drop; writes nothing
      import   Import what is new or changed into the library; what is unchanged is not touched
      list     List the conversations of the library
      show     Show conversations of the library
      search   Find messages in the library: words, identifiers whole and in part, Chinese words of any length
      reparse  Read conversations again from the bytes that the library kept, also those that their tool deleted
      watch    Import new and changed conversations as they settle, until it is stopped
      stats    Say how much the library holds, and what it takes
      doctor   Read the whole library and say what is wrong with it, and what to do
      vacuum   Give room that nothing in the library takes back to the disk
      index    Index what was imported since the last time, so that a search finds it at once
      backup   Copy the library to a new file, while it may go on to be used
      move     Move the library to another file or folder, where it is found from then on
      label    Give labels to conversations, or take them away; no import changes them
      pin      Pin conversations; no import changes it
      delete   Delete conversations from the library; imports leave them out until they are restored
      restore  Bring deleted conversations back
      export   Write conversations of the library as a document
      accept   Check this build against its built-in fixtures, and count how often your own data crosses each boundary
      help     Print this message or the help of the given subcommand(s)

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Examples:
      assay detect                        What is there, and where it was looked for
      assay preview                       What an import would keep, recover and lose; writes nothing
      assay import                        Import what is new or changed
      assay search "getUserName"          Find it again
      assay --sample preview              The same on built-in sample data

    Exit status: 0 done · 1 done, but something failed (it is listed) · 2 wrong usage
    "##);
}

#[test]
fn help_of_detect() {
    insta::assert_snapshot!(help("detect"), @r##"
    Say which sources are there, where they were looked for, and what each place holds

    Usage: assay detect [OPTIONS]

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_preview() {
    insta::assert_snapshot!(help("preview"), @r##"
    Read everything and show what an import would keep, recover, fold and drop; writes nothing

    Usage: assay preview [OPTIONS]

    Options:
          --no-messages
              Leave the messages out of the JSON

          --no-ledger
              Leave the ledger out of the JSON

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      assay preview --source codex
      assay preview --json --retention reference | jq -r '[.conversationId, .contentHash] | @tsv'
      assay preview --json --no-messages --no-ledger
    "##);
}

#[test]
fn help_of_import() {
    insta::assert_snapshot!(help("import"), @r##"
    Import what is new or changed into the library; what is unchanged is not touched

    Usage: assay import [OPTIONS]

    Options:
          --no-originals
              Do not keep the bytes that conversations are read from; what is kept of those that changed goes

          --verify
              Read everything and compare the bytes, so that a change with equal size and time is found

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      assay import
      assay import --verify               Compare the bytes themselves, not only size and time
      assay import --json | tail -n 1     What was done, in three layers
    "##);
}

#[test]
fn help_of_list() {
    insta::assert_snapshot!(help("list"), @r##"
    List the conversations of the library

    Usage: assay list [OPTIONS] [TEXT]

    Arguments:
      [TEXT]
              Only those with this text in title, project, folder or id

    Options:
          --label <LABEL>
              Only those with this label

          --pinned
              Only those that are pinned

          --gone
              Only those that their source no longer has

          --deleted
              Those that were deleted, instead of those that are there

          --earlier
              Earlier states of conversations that their source took something back from, instead of the conversations

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      assay list
      assay list parser --label keep
      assay list --deleted                What `assay restore` can bring back
    "##);
}

#[test]
fn help_of_show() {
    insta::assert_snapshot!(help("show"), @r##"
    Show conversations of the library

    Usage: assay show [OPTIONS] <ID>...

    Arguments:
      <ID>...
              Ids, as `assay list` prints them

    Options:
          --no-messages
              Leave the messages out of the JSON

          --no-ledger
              Leave the ledger out of the JSON

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_search() {
    insta::assert_snapshot!(help("search"), @r##"
    Find messages in the library: words, identifiers whole and in part, Chinese words of any length

    Usage: assay search [OPTIONS] <QUERY>...

    Arguments:
      <QUERY>...
              What to look for; every word must be in the message

    Options:
          --limit <N>
              At most so many answers
              
              [default: 50]

          --project <NAME>
              Only conversations of this project, by its name

          --since <DAY>
              Only messages from this day (or time) on; a day is one of this machine's time zone

          --until <DAY>
              Only messages up to this day (or time)

          --role <ROLE>
              Only what this one said

              Possible values:
              - user:      The person
              - assistant: The model
              - system:    The tool itself

          --kind <KIND>
              Only messages of this kind (may be given more than once)

              Possible values:
              - text:        Something said
              - tool-call:   A tool being called
              - tool-result: What a tool answered
              - reasoning:   The model's reasoning
              - event:       Something that happened
              - attachment:  A file, an image, context
              - draft:       Written but never sent

          --code
              Only messages with code in them

          --tools
              Only messages that use a tool

          --lossy
              Only conversations of which something was lost

          --synthetic
              Only messages whose time was made up

          --label <LABEL>
              Only conversations with this label

          --pinned
              Only conversations that are pinned

          --earlier
              In earlier states of conversations that their source took something back from, instead of the conversations

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      assay search "error-401"
      assay search 悬空引用
      assay search --since 2026-01-01 --role user --project assay deadlock
      assay search --json -- "--no-verify"
    "##);
}

#[test]
fn help_of_export() {
    insta::assert_snapshot!(help("export"), @r##"
    Write conversations of the library as a document

    Usage: assay export [OPTIONS] --format <FORMAT> [ID]...

    Arguments:
      [ID]...
              Ids, as `assay list` prints them

    Options:
          --format <FORMAT>
              In which form

              Possible values:
              - markdown:    Text for people
              - json:        Everything, one object a line
              - html:        One page that needs nothing else
              - chatcrystal: A remote-ingest payload
              - parquet:     Tables, partitioned by source and month

          --out <FILE>
              Write to this file (for parquet: folder) instead of standard output

          --no-mask
              Leave secrets as they are

          --mask
              Mask secrets in every format

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

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
      assay export --format parquet --out tables
    "##);
}

#[test]
fn help_of_accept() {
    insta::assert_snapshot!(help("accept"), @r##"
    Check this build against its built-in fixtures, and count how often your own data crosses each boundary

    Usage: assay accept [OPTIONS]

    Options:
          --no-data
              Do not read your own data

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_label() {
    insta::assert_snapshot!(help("label"), @r##"
    Give labels to conversations, or take them away; no import changes them

    Usage: assay label [OPTIONS] [ID]...

    Arguments:
      [ID]...
              Ids, as `assay list` prints them

    Options:
          --add <LABEL>
              Give this label (may be given more than once)

          --remove <LABEL>
              Take this label away (may be given more than once)

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Examples:
      assay label                         Every label, and how many conversations bear it
      assay label --add keep ID ID
      assay label --remove keep ID
    "##);
}

#[test]
fn help_of_pin() {
    insta::assert_snapshot!(help("pin"), @r##"
    Pin conversations; no import changes it

    Usage: assay pin [OPTIONS] <ID>...

    Arguments:
      <ID>...
              Ids, as `assay list` prints them

    Options:
          --off
              Take the pin away

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_delete() {
    insta::assert_snapshot!(help("delete"), @r##"
    Delete conversations from the library; imports leave them out until they are restored

    Usage: assay delete [OPTIONS] <ID>...

    Arguments:
      <ID>...
              Ids, as `assay list` prints them

    Options:
          --purge
              Keep nothing of them; cannot be undone

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    The tool's own store is not touched. `assay restore` brings conversations back as they were; after
    --purge only an import can, and only what the tool still has.
    What is purged is overwritten in the file; its id stays, so that imports know it. Single words of it may
    stay in the text index, and what an import replaced before in free room, until `assay vacuum`. Copies
    that were made of the library keep what they have.
    "##);
}

#[test]
fn help_of_restore() {
    insta::assert_snapshot!(help("restore"), @r##"
    Bring deleted conversations back

    Usage: assay restore [OPTIONS] <ID>...

    Arguments:
      <ID>...
              Ids, as `assay list --deleted` prints them

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_reparse() {
    insta::assert_snapshot!(help("reparse"), @r##"
    Read conversations again from the bytes that the library kept, also those that their tool deleted

    Usage: assay reparse [OPTIONS] [ID]...

    Arguments:
      [ID]...
              Ids, as `assay list` prints them; all if there are none

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    An import does this by itself for what a tool deleted, when this version reads it better.

    Examples:
      assay reparse
      assay reparse --source codex
      assay reparse ID ID
    "##);
}

#[test]
fn help_of_stats() {
    insta::assert_snapshot!(help("stats"), @r##"
    Say how much the library holds, and what it takes

    Usage: assay stats [OPTIONS]

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_doctor() {
    insta::assert_snapshot!(help("doctor"), @r##"
    Read the whole library and say what is wrong with it, and what to do

    Usage: assay doctor [OPTIONS]

    Options:
          --fix
              Do what can be done without losing anything

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Exit status: 0 if nothing is wrong, 1 if something is.
    "##);
}

#[test]
fn help_of_vacuum() {
    insta::assert_snapshot!(help("vacuum"), @r##"
    Give room that nothing in the library takes back to the disk

    Usage: assay vacuum [OPTIONS]

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_index() {
    insta::assert_snapshot!(help("index"), @r##"
    Index what was imported since the last time, so that a search finds it at once

    Usage: assay index [OPTIONS]

    Options:
          --rebuild
              Make the whole text index anew

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_backup() {
    insta::assert_snapshot!(help("backup"), @r##"
    Copy the library to a new file, while it may go on to be used

    Usage: assay backup [OPTIONS] <FILE>

    Arguments:
      <FILE>
              The new file

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_move() {
    insta::assert_snapshot!(help("move"), @r##"
    Move the library to another file or folder, where it is found from then on

    Usage: assay move [OPTIONS] <FILE>

    Arguments:
      <FILE>
              The new file, or a folder

    Options:
          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')
    "##);
}

#[test]
fn help_of_watch() {
    insta::assert_snapshot!(help("watch"), @r##"
    Import new and changed conversations as they settle, until it is stopped

    Usage: assay watch [OPTIONS]

    Options:
          --every <SECONDS>
              Look again after so many seconds
              
              [default: 10]

          --json
              Print JSON, one object a line, for scripts

          --home <DIR>
              Use DIR as the home folder, and ignore what the environment says about folders

          --source <NAME>
              Only this source (may be given more than once)

          --root <NAME=DIR>
              Look for a source in this folder too

          --retention <RULES>
              Which rules decide what is kept; full unless the settings say otherwise

              Possible values:
              - reference: Only what the published rules keep
              - full:      Everything that can be recovered

          --library <FILE>
              The library file

          --sample
              Work on built-in sample data instead of your own

      -h, --help
              Print help (see a summary with '-h')

    Stop it with Ctrl-C at any time; what was written is whole.
    "##);
}
