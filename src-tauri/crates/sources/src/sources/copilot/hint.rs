//! What a candidate carries from the scan to the collecting and the telling. Deliberately absent: anything that
//! can be read from the session itself.

use assay_model::Candidate;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How a session is kept. The order is that of preference among copies: transcripts of the extension repeat
/// what the session of the same id holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Shape {
    /// A mutation log.
    Log,
    /// One session as a whole.
    Whole,
    /// An element of a row of the editor's database.
    Row,
    /// Events of the command line tool or of the extension.
    Events,
    /// A file of the command line tool whose shape nobody has published.
    Legacy,
    /// Rows of the database that the command line tool derives from its sessions.
    Store,
    /// The database of a session's tasks, where nothing else of the session is left.
    Tasks,
}

/// What the scan knows.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Hint {
    /// How it is kept.
    pub shape: Shape,
    /// The id that the tool gave it, where it goes by a longer one here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub session: Option<String>,
    /// The title that the editor's index has.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub title: Option<String>,
    /// In which row of the editor's database, and which element of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub element: Option<Element>,
    /// Files beside it that belong to it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub beside: Vec<PathBuf>,
    /// The copy that goes by the plain id, if this is another.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy_of: Option<Copy>,
}

/// One element of a row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Element {
    /// The row's key.
    pub key: String,
    /// Its number.
    pub index: usize,
}

/// The session that another is a copy of.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Copy {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// How it is kept.
    pub shape: Shape,
}

impl Shape {
    /// Whether its file is a database.
    pub fn is_database(self) -> bool {
        match self {
            Shape::Row | Shape::Store | Shape::Tasks => true,
            Shape::Log | Shape::Whole | Shape::Events | Shape::Legacy => false,
        }
    }
}

/// Whether a file beside a session is a database.
pub(super) fn is_database(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|e| e == "db")
}

impl Hint {
    /// A hint about a shape and nothing else.
    pub fn of(shape: Shape) -> Self {
        Self { shape, session: None, title: None, element: None, beside: Vec::new(), copy_of: None }
    }

    /// Reads the hint of a candidate; one that is not ours is sorted by the name of its file.
    pub fn read(candidate: &Candidate) -> Self {
        serde_json::from_value(candidate.hint.clone()).unwrap_or_else(|_| {
            Self::of(match candidate.file_path.extension().is_some_and(|e| e == "json") {
                true => Shape::Whole,
                false => Shape::Log,
            })
        })
    }
}
