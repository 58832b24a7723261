//! The files of conversations: which are one and the same, which are copies of one another, and the one candidate
//! of each conversation.
//!
//! Deliberately absent: where they are looked for, and what is in them but for their heads.

use super::NAME;
use super::beside::Beside;
use super::heads::{Head, head, id_from_name, unpacked};
use crate::given::Ids;
use crate::roots;
use assay_model::{Candidate, Coverage};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

/// The reference system passes over smaller files, in bytes.
const REFERENCE_MINIMUM: u64 = 50;

/// How a conversation is written down. The order is the order of preference among copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    Rollout,
    Compressed,
    /// The TypeScript CLI's single JSON object.
    Whole,
}

impl Form {
    /// `None`: not a conversation, or a staging file of a running migration.
    pub fn of(name: &str) -> Option<Self> {
        if name.starts_with('.') || name.starts_with("rollout-compress-") {
            return None;
        }
        [(".jsonl", Form::Rollout), (".jsonl.zst", Form::Compressed), (".json", Form::Whole)]
            .into_iter()
            .find(|(suffix, form)| name.ends_with(suffix) && (*form != Form::Whole || name.starts_with("rollout-")))
            .map(|(_, form)| form)
    }
}

/// One file that holds a conversation.
pub(super) struct Found {
    pub path: PathBuf,
    pub base: PathBuf,
    pub size: u64,
    pub mtime: i64,
    pub form: Form,
    pub archived: bool,
    pub coverage: Coverage,
    pub head: Head,
    /// Other paths to it.
    pub paths: Vec<PathBuf>,
}

/// Each file once, by the path that leads to it without a link where there is one.
pub(super) fn each_once(files: Vec<Found>) -> Vec<Found> {
    let mut once: Vec<Found> = Vec::with_capacity(files.len());
    let mut seen: HashMap<PathBuf, usize> = HashMap::new();
    for file in files {
        let identity = file.path.canonicalize().unwrap_or_else(|_| file.path.clone());
        let Some(first) = seen.get(&identity).map(|at| &mut once[*at]) else {
            seen.insert(identity, once.len());
            once.push(file);
            continue;
        };
        let mut paths = std::mem::take(&mut first.paths);
        paths.push(file.path.clone());
        if file.path == identity {
            paths.push(first.path.clone());
            paths.retain(|path| *path != identity);
            *first = file;
        }
        first.paths = paths;
    }
    for file in &mut once {
        file.paths.retain(|path| *path != file.path);
    }
    once
}

/// Looks at one file; `None` if it is no conversation, or gone by now.
pub(super) fn look_at(root: &Path, base: &Path, path: &Path) -> Option<Found> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let form = Form::of(&name)?;
    // A file that vanished since it was listed is no longer a conversation of this scan.
    let meta = std::fs::metadata(path).ok()?;
    let archived = root.ends_with("archived_sessions");
    let reference =
        form == Form::Rollout && !archived && name.starts_with("rollout-") && meta.len() >= REFERENCE_MINIMUM;
    Some(Found {
        path: path.to_owned(),
        base: base.to_owned(),
        size: meta.len(),
        mtime: roots::mtime(&meta),
        form,
        archived,
        coverage: if reference { Coverage::Reference } else { Coverage::Extended },
        head: head(path).unwrap_or_default(),
        paths: Vec::new(),
    })
}

/// One candidate for each conversation. Of several files with one id the preferred one gets it; a copy
/// whose text is the beginning of the preferred one's is folded into it, any other stands for itself
/// under a qualified id. What is queued for a conversation is taken out of `beside` by the one that it goes with.
pub(super) fn candidates(files: &[Found], beside: &mut Beside, given: &Ids) -> Vec<Candidate> {
    let id_of = |f: &Found| f.head.id.clone().unwrap_or_else(|| id_from_name(&f.path));
    let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
    for (i, file) in files.iter().enumerate() {
        by_id.entry(id_of(file)).or_default().push(i);
    }
    let apart = |raw: &str, f: &Found| {
        let place = f.path.strip_prefix(&f.base).unwrap_or(&f.path);
        format!("{raw}@{}", place.to_string_lossy().replace('\\', "/"))
    };
    for (raw, group) in &mut by_id {
        group.sort_by_key(|i| {
            let f = &files[*i];
            let was_apart = given.has(&apart(raw, f), &f.path);
            (was_apart, f.coverage == Coverage::Extended, f.archived, f.form, std::cmp::Reverse(f.size), *i)
        });
        // What had the id before keeps it, unless it is the beginning of what would have it now.
        let holder = group.iter().position(|i| given.has(raw, &files[*i].path)).filter(|at| *at > 0);
        if let Some(at) = holder.filter(|at| !repeats(&files[group[*at]], &files[group[0]])) {
            group[..=at].rotate_right(1);
        }
    }
    // Each pair is compared once: that reads both files.
    let copies: HashSet<usize> = by_id
        .values()
        .filter_map(|group| group.split_first())
        .flat_map(|(first, rest)| rest.iter().filter(|copy| repeats(&files[**copy], &files[*first])))
        .copied()
        .collect();
    let preferred = |id: &str| by_id.get(id).and_then(|group| group.first()).copied();
    let mut out = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let raw = id_of(file);
        let group = by_id.get(&raw).map_or(&[][..], Vec::as_slice);
        let first = preferred(&raw).unwrap_or(i);
        let mut hint = serde_json::Map::new();
        let (mut size, mut mtime, mut id) = (file.size, file.mtime, raw.clone());
        if first == i {
            if given.has(&apart(&raw, file), &file.path) {
                id = apart(&raw, file);
            }
            for copy in group.iter().filter(|c| copies.contains(*c)).map(|c| &files[*c]) {
                size += copy.size;
                mtime = mtime.max(copy.mtime);
                let copies = hint.entry("copies").or_insert_with(|| json!([]));
                if let Some(list) = copies.as_array_mut() {
                    list.push(json!(copy.path));
                }
            }
        } else if copies.contains(&i) {
            continue; // listed with the preferred one
        } else {
            id = apart(&raw, file);
            while out.iter().any(|c: &Candidate| c.id == id) {
                id.push('+');
            }
            hint.insert("copyOf".into(), json!(raw));
        }
        if let Some(title) = beside.names.get(&raw) {
            hint.insert("title".into(), json!(title));
        }
        if !file.paths.is_empty() {
            hint.insert("paths".into(), json!(file.paths));
        }
        if let Some(title) = beside.titles.get(&raw).filter(|_| first == i) {
            hint.insert("stateTitle".into(), json!(title));
        }
        if let Some(import) = beside.imports.get(&raw).filter(|_| first == i) {
            hint.insert("importedFrom".into(), json!(import.path));
            hint.insert("importTitle".into(), json!(import.title));
        }
        if let Some(queued) = (first == i).then(|| beside.queued.remove(&raw)).flatten() {
            size += queued.iter().map(|q| q.bytes).sum::<u64>();
            mtime = queued.iter().map(|q| q.mtime).fold(mtime, i64::max);
            hint.insert("queue".into(), json!(queued));
            hint.insert("thread".into(), json!(raw));
        }
        if let Some(parent) = file.head.parent.as_deref().and_then(preferred) {
            hint.insert("parentFile".into(), json!(files[parent].path));
        }
        out.push(Candidate {
            id,
            source: NAME.to_owned(),
            file_path: file.path.clone(),
            file_size: size,
            file_mtime: mtime,
            project_dir: file.head.cwd.clone().unwrap_or_default(),
            coverage: file.coverage,
            hint: if hint.is_empty() { serde_json::Value::Null } else { hint.into() },
        });
    }
    out
}

/// Whether the whole text of `copy` is the beginning of that of `whole`.
fn repeats(copy: &Found, whole: &Found) -> bool {
    match (copy.form, whole.form) {
        // An earlier save of the same object: only what closes it may differ.
        (Form::Whole, Form::Whole) => match (std::fs::read(&copy.path), std::fs::read(&whole.path)) {
            (Ok(copy), Ok(whole)) => whole.starts_with(without_closers(&copy)),
            _ => false,
        },
        (Form::Whole, _) | (_, Form::Whole) => false,
        _ => match (unpacked(&copy.path), unpacked(&whole.path)) {
            (Ok(copy), Ok(whole)) => is_beginning(copy, whole).unwrap_or(false),
            _ => false,
        },
    }
}

/// A JSON text without the brackets that close it.
pub(super) fn without_closers(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|b| !b.is_ascii_whitespace() && !matches!(b, b']' | b'}')).map_or(0, |i| i + 1);
    &text[..end]
}

/// Whether everything `copy` says, `whole` says first.
pub(super) fn is_beginning(mut copy: impl BufRead, mut whole: impl BufRead) -> io::Result<bool> {
    loop {
        let a = copy.fill_buf()?;
        if a.is_empty() {
            return Ok(true);
        }
        let b = whole.fill_buf()?;
        let length = a.len().min(b.len());
        if length == 0 || a[..length] != b[..length] {
            return Ok(false);
        }
        copy.consume(length);
        whole.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn staging_files_are_no_conversations() {
        assert_eq!(Form::of("rollout-x.jsonl"), Some(Form::Rollout));
        assert_eq!(Form::of("rollout-x.jsonl.zst"), Some(Form::Compressed));
        assert_eq!(Form::of("rollout-x.json"), Some(Form::Whole));
        for name in [".rollout-x.jsonl.paginated.tmp", "rollout-compress-1.jsonl", "x.json", "notes.md", "x.tmp"] {
            assert_eq!(Form::of(name), None, "{name}");
        }
    }
}
