//! What a scan finds before anything is read.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Whether the published rules would look in this place at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// The reference system reads this place.
    Reference,
    /// Only Assay looks here (sub-agents, archived and legacy stores, other products).
    Extended,
}

/// One conversation that a scan found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// The source's own id of the conversation, not namespaced.
    pub id: String,
    /// The source's name.
    pub source: String,
    /// The file, or the database, that holds it.
    pub file_path: PathBuf,
    /// Size in bytes of everything that change detection looks at (database and log together).
    pub file_size: u64,
    /// Latest modification time of the same, nanoseconds since 1970.
    pub file_mtime: i64,
    /// The project folder as the store names it.
    pub project_dir: String,
    /// Whether the reference system would have found it.
    pub coverage: Coverage,
    /// What the adapter needs to find the rest: row keys, sibling files. Opaque to everybody else.
    #[serde(skip_serializing_if = "serde_json::Value::is_null", default)]
    pub hint: serde_json::Value,
}
