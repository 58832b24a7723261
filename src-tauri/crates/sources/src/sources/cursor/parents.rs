//! Which composer started which: a parent names its sub-agents in its `composerData`, and has the project that
//! they often do not name. Deliberately absent: the tool call, which is in the sub-agent's own id
//! (`task-<call>`).

use super::index;
use super::keys::TABLE;
use crate::ReadError;
use crate::readers::json::{Tape, Value};
use crate::readers::sqlite::{Reader, after_prefix, with_prefix};
use std::collections::BTreeMap;

/// The fields in which a composer names those it started.
pub(super) const CHILDREN: [&str; 2] = ["subagentComposerIds", "subComposerIds"];

/// The composer that started another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parent {
    /// Its id.
    pub id: String,
    /// Its project, where it names one.
    pub project: Option<String>,
}

/// Sub-agents and the composer that started each.
pub(super) fn read(reader: &Reader<'_>) -> Result<BTreeMap<String, Parent>, ReadError> {
    let mut parents = BTreeMap::new();
    if !reader.has_table(TABLE)? {
        return Ok(parents);
    }
    let mut tape = Tape::new();
    let mut visit = |key: &str, value: &[u8]| {
        // Most composers started none: look for the field's name before reading the value.
        if CHILDREN.iter().all(|c| memchr::memmem::find(value, c.as_bytes()).is_none()) {
            return;
        }
        let Ok(data) = tape.read_whole(value) else { return };
        let id = &key["composerData:".len()..];
        let project = data.get("workspaceIdentifier").and_then(index::project_of);
        let parent = Parent { id: id.to_owned(), project };
        for child in CHILDREN.iter().filter_map(|c| data.get(c)).flat_map(Value::items).filter_map(Value::non_empty) {
            parents.entry(child.into_owned()).or_insert_with(|| parent.clone());
        }
    };
    let prefix = "composerData:";
    let sql = format!("SELECT key, value FROM {TABLE} WHERE {} ORDER BY key", with_prefix(TABLE));
    reader.query(&sql, [prefix, &after_prefix(prefix)], |row| {
        let key = super::keys::text(row)?;
        visit(&key, row.get_ref(1)?.as_bytes().unwrap_or_default());
        Ok(())
    })?;
    Ok(parents)
}

/// The project of a sub-agent: that of the nearest composer above it that has one.
pub(super) fn project(parents: &BTreeMap<String, Parent>, of: &str, known: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut at = parents.get(of)?;
    // A circle of parents ends, too.
    for _ in 0..=parents.len() {
        if let Some(project) = at.project.clone().or_else(|| known(&at.id)) {
            return Some(project);
        }
        at = parents.get(&at.id)?;
    }
    None
}
