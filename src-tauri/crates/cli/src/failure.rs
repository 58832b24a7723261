//! Why a command could not be done, in words: what happened, what it means for the data, what to do.

use crate::table;
use assay_engine::dto::Fault;
use std::fmt;
use std::io;

/// Why a command could not be done.
#[derive(Debug)]
pub enum Failure {
    /// What was asked for makes no sense.
    Usage(String),
    /// The engine could not do it.
    Fault(Fault),
    /// The answer could not be written.
    Io(io::Error),
}

impl Failure {
    /// The exit status.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Usage(_) => 2,
            Failure::Fault(fault) if fault.code == "unknown-source" && fault.params.is_empty() => 2,
            Failure::Fault(fault)
                if ["inside-a-store", "over-the-library", "over-a-database", "not-a-label", "not-empty"]
                    .contains(&fault.code.as_str()) =>
            {
                2
            }
            Failure::Fault(_) | Failure::Io(_) => 1,
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Failure::Fault(fault)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Io(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Failure::Io(error.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Usage(text) => f.write_str(text),
            Failure::Fault(fault) => f.write_str(&words(fault)),
            Failure::Io(error) => write!(f, "cannot write the answer: {error}. Nothing else was changed."),
        }
    }
}

/// A fault in words, on one line.
pub fn words(fault: &Fault) -> String {
    let detail = fault.detail.as_str();
    let param = |name: &str| fault.params.get(name).map_or("", String::as_str);
    let of = match (param("source"), param("id")) {
        ("", _) => String::new(),
        (source, "") => format!("{source}: "),
        (source, id) => format!("{source}:{id}: "),
    };
    let what = match fault.code.as_str() {
        "unknown-source" => format!("there is no source named {detail:?}. `assay detect` lists them."),
        "inside-a-store" => {
            format!("{detail} is inside the folder of a tool; nothing is written there. Name another place.")
        }
        "over-the-library" => {
            format!("{detail} is the library itself, which is never written over. Name another place.")
        }
        "over-a-database" => format!("{detail} is a database, and nothing is written over one. Name another place."),
        "busy" => "another job is running. Wait for it or cancel it first.".to_owned(),
        "source-failed" if detail == "stalled" => {
            "gave no answer (a dead network drive?) and was left out. The others were read.".to_owned()
        }
        "source-failed" => format!("cannot be looked at: {detail}. The others were read."),
        "scan-incomplete" => format!("not everything could be listed: {detail}. The rest was read."),
        "gone" => format!("{detail}: it was there a moment ago. Nothing was lost in the library; run again."),
        "no-permission" if !param("library").is_empty() => format!(
            "no permission to write the library {}. Nothing was written. Allow it, name another library with --library, \
             or take this one to another place with `assay move` once it may be written.",
            param("library")
        ),
        "no-permission" if !param("path").is_empty() => {
            format!(
                "no permission to read {} ({detail}). What is in it was not read; grant read access and run again.",
                param("path")
            )
        }
        "no-permission" => format!("{detail}. Grant read access to it and run again."),
        "locked" => format!("{detail} by its tool. Close the tool and run again."),
        "damaged" => format!("{detail}. It was left as it is; what the library has of it stays."),
        "encrypted" => format!("{detail} by its tool; nobody else can read it. What the library has of it stays."),
        "same-id" => format!("{detail}. Both are left as they are; only the first is imported."),
        "panicked" => format!("a fault of Assay while reading it ({detail}). Please report it; the rest was read."),
        "newer" => format!("the library was written by a newer version and was left alone: {detail}. Update Assay."),
        "not-a-library" => format!("not a library of Assay: {detail}. Name another file with --library."),
        "in-use" => format!("the library is in use by another Assay: {detail}. Nothing was written; try again later."),
        "disk-full" => {
            format!("no space left: {detail}. Whole conversations only were written; free some and run again.")
        }
        "id-collision" => {
            format!("is not in the payload: {detail} has the same portable id, and one would replace the other.")
        }
        "message-id-collision" => format!("is not in the payload: two of its messages have one id ({detail})."),
        "fewer-than-two-messages" => {
            "is not in the payload: the published rules keep fewer than two messages.".to_owned()
        }
        "no-such-conversation" => {
            format!("the library has no conversation {detail:?}. `assay list` shows what it has.")
        }
        "deleted" => format!("{detail:?} was deleted from the library. `assay restore` brings it back."),
        "not-empty" => format!("{detail} is not empty, and nothing is written over. Name a new folder."),
        "not-a-label" => format!("{detail:?} cannot be a label: it is empty, or longer than 60 characters."),
        "older" => format!("the library is one of an older version and cannot be brought up here: {detail}."),
        "ambiguous-id" => format!(
            "more than one conversation goes by {detail:?}: {}. Nothing was done; name one of these instead.",
            param("names")
        ),
        "library-gone" => format!(
            "the library is no longer at {detail}. Nothing was begun there; name the place that it has now with --library."
        ),
        "no-library" => format!("there is no library yet at {detail}. `assay import` makes it."),
        code => format!("{code}: {detail}"),
    };
    table::line(&(of + &what))
}
