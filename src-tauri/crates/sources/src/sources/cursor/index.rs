//! The editor's indexes of its chats, in a workspace's `ItemTable` and in the global one. None of them is
//! complete, so each is only a word on what the rows say. Only the keys named here are ever read: the same
//! table holds `cursorAuth/*` and `secret://*`. Deliberately absent: messages.

use super::keys::text;
use crate::ReadError;
use crate::readers::json::{Tape, Value};
use crate::readers::sqlite::Reader;
use crate::readers::vscode::uri_to_path;

/// The key of legacy chats.
pub(super) const TABS: &str = "workbench.panel.aichat.view.aichat.chatdata";
/// The keys of prompts that name no session.
pub(super) const PROMPTS: [&str; 2] = ["aiService.prompts", "aiService.generations"];

/// A composer as an index names it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// Its creation in milliseconds since 1970.
    pub created: Option<f64>,
    /// The project it belongs to; empty if not known.
    pub project: String,
    /// Whether the published rules read this index.
    pub published: bool,
}

/// What one workspace's database says.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    /// The composers it names.
    pub composers: Vec<Entry>,
    /// Its legacy tabs, each with its id if it has one.
    pub tabs: Vec<Option<String>>,
    /// Whether there are prompts without a session.
    pub prompts: bool,
    /// What else is to be said.
    pub remarks: Vec<String>,
}

/// Reads a workspace's index. `described`: it has a `workspace.json`, without which the published rules
/// pass it over.
pub(super) fn workspace(reader: &Reader<'_>, project: &str, described: bool) -> Result<Workspace, ReadError> {
    let mut found = Workspace::default();
    if !reader.has_table("ItemTable")? {
        return Ok(found);
    }
    let mut tape = Tape::new();
    if let Some(row) = reader.row("ItemTable", "composer.composerData")? {
        match tape.read_whole(row.bytes()) {
            Ok(value) => {
                found.composers = entries(value, project, described);
                for key in ["selectedComposerIds", "lastFocusedComposerIds"] {
                    for id in value.get(key).into_iter().flat_map(Value::items).filter_map(Value::non_empty) {
                        if !found.composers.iter().any(|e| e.id == id) {
                            found.composers.push(hinted(id.into_owned(), project));
                        }
                    }
                }
            }
            Err(_) => found.remarks.push("composer.composerData is not JSON".to_owned()),
        }
    }
    if let Some(row) = reader.row("ItemTable", TABS)? {
        match tape.read_whole(row.bytes()) {
            Ok(value) => {
                let tabs = value.get("tabs").into_iter().flat_map(Value::items);
                found.tabs = tabs.map(|t| t.get("tabId")?.non_empty().map(|id| id.into_owned())).collect();
            }
            // Damaged, but there: it must not be passed over in silence.
            Err(_) if row.value.is_some() => found.tabs.push(None),
            Err(_) => {}
        }
    }
    for key in PROMPTS {
        if let Some(row) = reader.row("ItemTable", key)? {
            // Damaged, but there: it is told as it stands.
            found.prompts |= match tape.read_whole(row.bytes()) {
                Ok(prompts) => !prompts.is_default(),
                Err(_) => !row.bytes().is_empty(),
            };
        }
    }
    let cloud = reader.row("ItemTable", "workbench.backgroundComposer.persistentData")?;
    if cloud.is_some_and(|row| String::from_utf8_lossy(row.bytes()).contains("\"bc-")) {
        found.remarks.push("cloud agents, content not on disk".to_owned());
    }
    Ok(found)
}

/// A composer that an index only points at.
fn hinted(id: String, project: &str) -> Entry {
    Entry { id, title: None, created: None, project: project.to_owned(), published: false }
}

/// Reads the global index, complete in no version: `composer.composerHeaders` since 3.0, the table
/// `composerHeaders` since 3.9.
pub(super) fn global(reader: &Reader<'_>) -> Result<(Vec<Entry>, Option<&'static str>), ReadError> {
    let (mut found, mut remark) = (Vec::new(), None);
    let mut tape = Tape::new();
    if reader.has_table("ItemTable")?
        && let Some(row) = reader.row("ItemTable", "composer.composerHeaders")?
    {
        match tape.read_whole(row.bytes()) {
            Ok(value) => found = entries(value, "", false),
            Err(_) if row.bytes().is_empty() => {}
            Err(_) => remark = Some("composer.composerHeaders is not JSON"),
        }
    }
    if reader.has_table("composerHeaders")? {
        // Its columns differ by version: the id is all that is asked for.
        for id in reader.query("SELECT composerId FROM composerHeaders ORDER BY composerId", [], text)? {
            if !id.is_empty() && !found.iter().any(|e| e.id == id) {
                found.push(hinted(id, ""));
            }
        }
    }
    Ok((found, remark))
}

fn entries(value: Value<'_>, project: &str, published: bool) -> Vec<Entry> {
    let all = value.get("allComposers").into_iter().flat_map(Value::items);
    all.filter_map(|composer| {
        Some(Entry {
            id: composer.get("composerId")?.non_empty()?.into_owned(),
            title: composer.get("name").and_then(Value::non_empty).map(|n| n.into_owned()),
            created: composer.get("createdAt").and_then(Value::f64),
            project: match project {
                "" => composer.get("workspaceIdentifier").and_then(project_of).unwrap_or_default(),
                known => known.to_owned(),
            },
            published,
        })
    })
    .collect()
}

/// The folder of a `workspaceIdentifier`.
pub(super) fn project_of(identifier: Value<'_>) -> Option<String> {
    let uri = identifier.get("uri").or_else(|| identifier.get("configPath"))?;
    if let Some(path) = uri.get("fsPath").and_then(Value::non_empty) {
        return Some(path.into_owned());
    }
    let text = uri.get("external").and_then(Value::non_empty).or_else(|| uri.non_empty())?;
    Some(uri_to_path(&text))
}
