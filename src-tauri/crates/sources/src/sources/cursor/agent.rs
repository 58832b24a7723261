//! The agent's folder (`~/.cursor`): stores of its chats, transcripts by project, plans and the history of
//! prompts. Deliberately absent: what is in them.

use super::hint::{Hint, Store};
use super::places::Place;
use super::survey::{Finding, note, stamp};
use crate::readers::sqlite::Stamp;
use crate::{ReadError, Root};
use assay_model::{Candidate, Coverage};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Lists the conversations of one agent folder.
pub(super) fn survey(place: &Place, findings: &mut Vec<Finding>) {
    let root = |below: &str, look: fn(PathBuf, String) -> Root| Finding::empty(look(place.path.join(below), place.origin.clone()));
    for below in ["chats", "acp-sessions"] {
        let mut finding = root(below, Root::folder);
        stores(&mut finding);
        findings.push(finding);
    }
    let mut projects = root("projects", Root::folder);
    transcripts(&mut projects);
    findings.push(projects);
    // The rest is looked for only where there is an agent at all.
    for (below, store) in [("prompt_history.json", Store::History), ("plans", Store::Plan)] {
        let mut finding = root(below, if store == Store::History { Root::look } else { Root::folder });
        if !finding.root.exists {
            continue;
        }
        let files = match store {
            Store::History => vec![finding.root.path.clone()],
            _ => walk(&mut finding, 1, |p| p.to_string_lossy().ends_with(".plan.md")),
        };
        for file in files {
            add(&mut finding, &file, store.clone(), stem(&file, &[".plan.md", ".json"]), String::new(), None);
        }
        findings.push(finding);
    }
    let tracking = place.path.join("ai-tracking").join("ai-code-tracking.db");
    if tracking.exists() {
        let mut finding = Finding::empty(Root::look(tracking, place.origin.clone()));
        note(&mut finding.root, "statistics on generated lines, no conversation");
        findings.push(finding);
    }
}

/// `chats/<workspace>/<id>/store.db`, `acp-sessions/<id>/store.db`.
fn stores(finding: &mut Finding) {
    for file in walk(finding, 3, |p| p.file_name().is_some_and(|n| n == "store.db")) {
        let Some(id) = file.parent().and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()) else {
            continue;
        };
        add(finding, &file, Store::Blobs, id, String::new(), None);
    }
}

/// `projects/<slug>/agent-transcripts/…`; files beside them are only counted.
fn transcripts(finding: &mut Finding) {
    let mut spilled = 0;
    let files = walk(finding, 5, |p| {
        let below = |name: &str| p.components().any(|c| c.as_os_str() == name);
        let text = p.extension().is_some_and(|e| e == "jsonl" || e == "txt");
        spilled += u32::from(text && (below("agent-tools") || below("terminals")));
        text && below("agent-transcripts")
    });
    if spilled > 0 {
        note(&mut finding.root, &format!("files with output of tools {spilled}"));
    }
    for file in files {
        let id = stem(&file, &[".jsonl", ".txt"]);
        let above = |n: usize| file.ancestors().nth(n).and_then(Path::file_name).map(|n| n.to_string_lossy());
        let parent = above(1).filter(|n| n == "subagents").and_then(|_| above(2)).map(|p| p.into_owned());
        let slug = file.strip_prefix(&finding.root.path).ok().and_then(|p| p.components().next());
        let slug = slug.map(|s| s.as_os_str().to_string_lossy().into_owned()).unwrap_or_default();
        add(finding, &file, Store::Transcript, id, slug, parent);
    }
}

/// The files below a place that `wanted` wants, sorted; folders that cannot be read are remarked.
fn walk(finding: &mut Finding, depth: usize, mut wanted: impl FnMut(&Path) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if !finding.root.exists {
        return files;
    }
    for entry in WalkDir::new(finding.root.path.clone()).max_depth(depth).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && wanted(entry.path()) => files.push(entry.into_path()),
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(&finding.root.path).to_owned();
                let error = error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links"));
                finding.fail(ReadError::io(&path, &error));
            }
        }
    }
    files
}

fn add(finding: &mut Finding, file: &Path, store: Store, id: String, project: String, parent: Option<String>) {
    let stamp = match store {
        Store::Blobs => Stamp::of(file).map(|s| (s.size, s.mtime)),
        _ => stamp(file),
    };
    match stamp {
        Ok((size, mtime)) => {
            finding.root.bytes += size;
            finding.candidates.push(Candidate {
                id,
                source: "cursor".to_owned(),
                file_path: file.to_owned(),
                file_size: size,
                file_mtime: mtime,
                project_dir: project,
                coverage: Coverage::Extended,
                hint: Hint { parent, ..Hint::of(store) }.write(),
            });
        }
        Err(error) => finding.fail(error),
    }
}

fn stem(file: &Path, endings: &[&str]) -> String {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    endings.iter().find_map(|e| name.strip_suffix(e)).unwrap_or(&name).to_owned()
}
