//! Where in the original something stands, so that a person can always go and look.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The place of a record, or of a block inside one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Locator {
    /// A span of a byte-addressed store.
    Bytes {
        /// The file's path.
        file: Arc<str>,
        /// First byte of the span, counted from the start of the (decompressed) file.
        byte_start: u64,
        /// One past the last byte.
        byte_end: u64,
        /// The physical line the span starts on, from 1.
        line: u64,
        /// JSON pointer of the block inside the record; absent for the record itself.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pointer: Option<Arc<str>>,
    },
    /// A row of a database.
    Row {
        /// The database's path.
        file: Arc<str>,
        /// The table.
        table: Arc<str>,
        /// The row's key; absent where the key is `NULL`.
        key: Option<Arc<str>>,
        /// JSON pointer of the block inside the row's value.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pointer: Option<Arc<str>>,
    },
}

impl Locator {
    /// The file the place is in.
    pub fn file(&self) -> &str {
        match self {
            Locator::Bytes { file, .. } | Locator::Row { file, .. } => file,
        }
    }

    /// The same, to be named otherwise.
    pub fn file_mut(&mut self) -> &mut Arc<str> {
        match self {
            Locator::Bytes { file, .. } | Locator::Row { file, .. } => file,
        }
    }

    /// The JSON pointer inside the record, if this is the place of a block.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            Locator::Bytes { pointer, .. } | Locator::Row { pointer, .. } => pointer.as_deref(),
        }
    }

    /// A whole file of this many bytes, as one record.
    pub fn of_file(file: Arc<str>, bytes: u64) -> Self {
        Locator::Bytes { file, byte_start: 0, byte_end: bytes, line: 1, pointer: None }
    }

    /// The same record, at `pointer` inside it.
    pub fn at(&self, pointer: impl Into<Arc<str>>) -> Self {
        let mut place = self.clone();
        match &mut place {
            Locator::Bytes { pointer: p, .. } | Locator::Row { pointer: p, .. } => *p = Some(pointer.into()),
        }
        place
    }
}
