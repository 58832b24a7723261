//! The names of all fields that this source's records are known to have, in `known_fields.txt`: read, folded or left
//! out on purpose. A field with words and any other name is listed. Deliberately absent: which record has which.

use crate::drift::Known;
use std::sync::LazyLock;

/// What is in the arguments and results of tools is theirs.
const OPAQUE: &[&str] = &["input", "toolUseResult", "data", "structuredContent", "pastedContents", "headers", "trackedFileBackups"];

/// The fields.
pub(super) static KNOWN: LazyLock<Known> = LazyLock::new(|| Known::of(include_str!("known_fields.txt"), OPAQUE));
