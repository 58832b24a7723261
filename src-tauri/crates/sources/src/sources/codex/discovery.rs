//! Where rollouts lie, which conversation each holds, and which are copies of one another.
//!
//! Deliberately absent: what a record means (only the first one is looked at, for its id), and how the databases
//! beside the rollouts are read, see [`super::beside`].

use super::beside::{self, Beside, Queued};
use super::{NAME, prompts};
use crate::readers::json::{Tape, Value};
use crate::{Detection, Evidence, EvidenceFile, ReadError, Root, Roots, ScanError, State, roots};
use assay_model::{Candidate, Coverage, NoticeCode};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The reference system passes over smaller files, in bytes.
const REFERENCE_MINIMUM: u64 = 50;

/// How far into a file its first `session_meta` is looked for.
const HEAD: u64 = 8 << 20;
const HEAD_RECORDS: usize = 16;

/// How a conversation is written down. The order is the order of preference among copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Rollout,
    Compressed,
    /// The TypeScript CLI's single JSON object.
    Whole,
}

impl Form {
    /// `None`: not a conversation, or a staging file of a running migration.
    fn of(name: &str) -> Option<Self> {
        if name.starts_with('.') || name.starts_with("rollout-compress-") {
            return None;
        }
        [(".jsonl", Form::Rollout), (".jsonl.zst", Form::Compressed), (".json", Form::Whole)]
            .into_iter()
            .find(|(suffix, form)| name.ends_with(suffix) && (*form != Form::Whole || name.starts_with("rollout-")))
            .map(|(_, form)| form)
    }
}

/// A tool that writes rollouts.
pub(in crate::sources) struct Tool {
    /// The source that its conversations belong to.
    pub source: &'static str,
    /// The environment's override of the folder of databases; empty if there is none.
    pub sqlite_home: &'static str,
}

/// Codex itself.
const CODEX: Tool = Tool { source: NAME, sqlite_home: "CODEX_SQLITE_HOME" };

/// Looks at the sessions and the archive of every place that Codex may use, and at what lies beside them.
pub(super) fn detect(roots: &Roots) -> Detection {
    let bases = bases(roots);
    let (found, survey) = places(roots, &CODEX, &bases);
    let mut detection = Detection::of(found);
    if detection.state == State::NotInstalled && bases.iter().any(|(base, _)| base.is_dir()) {
        detection.state = State::Empty;
    }
    detection.error = survey.failures.first().map(ToString::to_string);
    detection
}

/// Every place of these data folders with what it holds, and the whole of it.
pub(in crate::sources) fn places(roots: &Roots, tool: &Tool, bases: &[(PathBuf, &'static str)]) -> (Vec<Root>, Survey) {
    let mut found = Vec::new();
    for (base, origin) in bases {
        let beside = beside::databases(roots, tool, base, origin);
        let files = [Some(base.join(prompts::HISTORY)), beside::database(&beside, "queue")];
        let files = files.into_iter().flatten().filter(|file| file.is_file());
        for place in folders(base, origin).into_iter().chain(files) {
            if found.iter().all(|r: &Root| r.path != place) {
                found.push(count(place, origin));
            }
        }
    }
    // The files of one conversation are one: only the whole tells how many there are.
    let survey = survey(roots, tool, &found);
    for root in &mut found {
        let inside = survey.candidates.iter().filter(|c| c.file_path.starts_with(&root.path));
        root.conversations = inside.count() as u64;
        if root.path.file_name().is_some_and(|n| n == "sessions") && survey.without_rollout > 0 {
            let note = format!("threads-without-rollout={}", survey.without_rollout);
            root.note = Some(root.note.take().map_or(note.clone(), |n| format!("{n} {note}")));
        }
    }
    (found, survey)
}

/// The data folders, and why each is looked at.
fn bases(roots: &Roots) -> Vec<(PathBuf, &'static str)> {
    let mut bases = Vec::new();
    match roots.env_dir("CODEX_HOME") {
        Some(home) => bases.push((home, "env:CODEX_HOME")),
        None => bases.push((roots.home.join(".codex"), "default")),
    }
    bases.extend(roots.custom(NAME).iter().map(|folder| (folder.clone(), "custom")));
    bases
}

/// The data folder's two session folders; a custom folder may also be one of them.
fn folders(base: &Path, origin: &str) -> Vec<PathBuf> {
    let inside = ["sessions", "archived_sessions"].map(|name| base.join(name));
    if origin == "custom" && base.is_dir() && !inside.iter().any(|folder| folder.is_dir()) {
        return vec![base.to_owned()];
    }
    inside.into()
}

fn count(folder: PathBuf, origin: &str) -> Root {
    let mut root = Root::look(folder, origin);
    let (mut staging, mut other) = (0u64, 0u64);
    if root.exists && root.readable {
        for entry in walk(&root.path).filter_map(Result::ok).filter(|e| e.file_type().is_file()) {
            let name = entry.file_name().to_string_lossy();
            let is_file = entry.depth() == 0;
            if is_file || Form::of(&name).is_some() {
                root.bytes += entry.metadata().map_or(0, |m| m.len());
            } else if name.ends_with(".tmp") || name.starts_with("rollout-compress-") {
                staging += 1;
            } else {
                other += 1;
            }
        }
        if staging + other > 0 {
            root.note = Some(format!("staging-files={staging} other-files={other}"));
        }
    }
    root
}

fn walk(folder: &Path) -> impl Iterator<Item = walkdir::Result<walkdir::DirEntry>> {
    WalkDir::new(folder).follow_links(true).sort_by_file_name().into_iter()
}

/// One file that holds a conversation.
struct Found {
    path: PathBuf,
    base: PathBuf,
    size: u64,
    mtime: i64,
    form: Form,
    archived: bool,
    coverage: Coverage,
    head: Head,
    /// Other paths to it.
    paths: Vec<PathBuf>,
}

/// What the first records say about the whole.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Head {
    /// The id of the first `session_meta` (or of an older header).
    pub id: Option<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// The conversation that this one was forked from or spawned by.
    pub parent: Option<String>,
}

/// Lists the conversations in the order of their paths.
pub(super) fn scan(roots: &Roots, found: &Detection, sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {
    let survey = survey(roots, &CODEX, &found.roots);
    survey.failures.into_iter().for_each(|error| sink(Err(error)));
    survey.candidates.into_iter().for_each(|candidate| sink(Ok(candidate)));
}

/// Everything that the places hold.
#[derive(Default)]
pub(in crate::sources) struct Survey {
    /// One for each conversation.
    pub candidates: Vec<Candidate>,
    /// What could not be read.
    pub failures: Vec<ScanError>,
    /// Conversations that the state database knows and that have no rollout.
    without_rollout: usize,
}

fn survey(roots: &Roots, tool: &Tool, places: &[Root]) -> Survey {
    let mut survey = Survey::default();
    let (mut files, mut histories, mut bases) = (Vec::new(), Vec::new(), Vec::new());
    for root in places.iter().filter(|r| r.exists && r.readable) {
        let base = base_of(&root.path);
        if !bases.iter().any(|(known, _): &(PathBuf, String)| *known == base) {
            bases.push((base, root.origin.clone()));
        }
        if root.path.ends_with(prompts::HISTORY) {
            histories.push(root.path.clone());
            continue;
        }
        for entry in walk(&root.path).filter(|_| root.path.is_dir()) {
            match entry {
                Ok(entry) if entry.file_type().is_file() => files.extend(look_at(&root.path, entry.path())),
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(&root.path).to_owned();
                    survey.failures.push(ScanError { path, cause: error.to_string() });
                }
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let files = each_once(files);
    let (mut titles, mut beside) = (HashMap::new(), HashMap::new());
    for (base, origin) in bases {
        titles.insert(base.clone(), read_titles(&base.join("session_index.jsonl")));
        let databases = beside::databases(roots, tool, &base, &origin);
        let known = Beside::of(roots, &base, &databases, &mut |error| survey.failures.push(error));
        beside.insert(base, known);
    }
    survey.candidates = candidates(&files, &titles, &beside);
    let ids: HashSet<&str> = survey.candidates.iter().map(|c| c.id.as_str()).collect();
    let known = beside.values().flat_map(|b| &b.known);
    survey.without_rollout = known.filter(|id| !ids.contains(id.as_str())).count();
    let mut waiting: Vec<_> = beside
        .iter()
        .flat_map(|(base, beside)| beside.queued.iter().map(move |(thread, queued)| (base, thread, queued)))
        .filter(|(_, thread, _)| !ids.contains(thread.as_str()))
        .collect();
    waiting.sort_by_key(|(base, thread, _)| (*base, *thread));
    let waiting: Vec<_> = waiting.into_iter().map(|(_, thread, queued)| only_queued(thread, queued)).collect();
    survey.candidates.extend(waiting);
    for (n, path) in histories.into_iter().enumerate() {
        let id = if n == 0 { prompts::ID.to_owned() } else { format!("{}@{}", prompts::ID, path.display()) };
        survey.candidates.extend(history(id, path));
    }
    for candidate in &mut survey.candidates {
        if candidate.source != tool.source {
            // The published rules know Codex's own rollouts only.
            tool.source.clone_into(&mut candidate.source);
            candidate.coverage = Coverage::Extended;
        }
    }
    survey
}

/// Each file once, by the path that leads to it without a link where there is one.
fn each_once(files: Vec<Found>) -> Vec<Found> {
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

/// The data folder that a place belongs to.
fn base_of(place: &Path) -> PathBuf {
    let inside = place.ends_with("sessions") || place.ends_with("archived_sessions") || place.is_file();
    if inside { place.parent().unwrap_or(place).to_owned() } else { place.to_owned() }
}

/// A conversation of which there is nothing but prompts in the queue.
fn only_queued(thread: &str, queued: &Queued) -> Candidate {
    Candidate {
        id: if thread.is_empty() { "queue".to_owned() } else { thread.to_owned() },
        source: NAME.to_owned(),
        file_path: queued.file.clone(),
        file_size: queued.bytes,
        file_mtime: queued.mtime,
        project_dir: String::new(),
        coverage: Coverage::Extended,
        hint: json!({"queue": queued, "thread": thread, "onlyQueued": true}),
    }
}

/// The prompts of any conversation, as one.
fn history(id: String, path: PathBuf) -> Option<Candidate> {
    // Gone since it was listed.
    let meta = std::fs::metadata(&path).ok()?;
    Some(Candidate {
        id,
        source: NAME.to_owned(),
        file_size: meta.len(),
        file_mtime: roots::mtime(&meta),
        file_path: path,
        project_dir: String::new(),
        coverage: Coverage::Extended,
        hint: json!({"history": true}),
    })
}

/// Rollouts below a folder, by the id in their names.
pub(super) fn rollouts(folder: &Path) -> Vec<(String, PathBuf)> {
    let files = walk(folder).filter_map(Result::ok).filter(|e| e.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files.filter(|p| Form::of(&p.file_name().unwrap_or_default().to_string_lossy()).is_some())
        .map(|path| (id_from_name(&path), path))
        .collect()
}

/// The bytes of a small file; none if it is not there.
pub(super) fn read_small(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(file) = roots::open_plain(path) {
        // A file that cannot be read to its end is a damaged one.
        let _ = file.take(HEAD).read_to_end(&mut bytes);
    }
    bytes
}

fn look_at(root: &Path, path: &Path) -> Option<Found> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let form = Form::of(&name)?;
    // A file that vanished since it was listed is no longer a conversation of this scan.
    let meta = std::fs::metadata(path).ok()?;
    let archived = root.ends_with("archived_sessions");
    let reference =
        form == Form::Rollout && !archived && name.starts_with("rollout-") && meta.len() >= REFERENCE_MINIMUM;
    Some(Found {
        path: path.to_owned(),
        base: base_of(root),
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
/// under a qualified id.
fn candidates(
    files: &[Found],
    titles: &HashMap<PathBuf, HashMap<String, String>>,
    beside: &HashMap<PathBuf, Beside>,
) -> Vec<Candidate> {
    let id_of = |f: &Found| f.head.id.clone().unwrap_or_else(|| id_from_name(&f.path));
    let mut by_id: HashMap<String, Vec<usize>> = HashMap::new();
    for (i, file) in files.iter().enumerate() {
        by_id.entry(id_of(file)).or_default().push(i);
    }
    for group in by_id.values_mut() {
        group.sort_by_key(|i| {
            let f = &files[*i];
            (f.coverage == Coverage::Extended, f.archived, f.form, std::cmp::Reverse(f.size), *i)
        });
    }
    let preferred = |id: &str| by_id.get(id).and_then(|group| group.first()).copied();
    let mut out = Vec::new();
    for (i, file) in files.iter().enumerate() {
        let raw = id_of(file);
        let group = by_id.get(&raw).map_or(&[][..], Vec::as_slice);
        let first = preferred(&raw).unwrap_or(i);
        let mut hint = serde_json::Map::new();
        let (mut size, mut mtime, mut id) = (file.size, file.mtime, raw.clone());
        if first == i {
            for copy in group.iter().skip(1).map(|c| &files[*c]).filter(|copy| repeats(copy, file)) {
                size += copy.size;
                mtime = mtime.max(copy.mtime);
                let copies = hint.entry("copies").or_insert_with(|| json!([]));
                if let Some(list) = copies.as_array_mut() {
                    list.push(json!(copy.path));
                }
            }
        } else if repeats(file, &files[first]) {
            continue; // listed with the preferred one
        } else {
            let place = file.path.strip_prefix(&file.base).unwrap_or(&file.path);
            id = format!("{raw}@{}", place.to_string_lossy().replace('\\', "/"));
            while out.iter().any(|c: &Candidate| c.id == id) {
                id.push('+');
            }
            hint.insert("copyOf".into(), json!(raw));
        }
        if let Some(title) = titles.get(&file.base).and_then(|t| t.get(&raw)) {
            hint.insert("title".into(), json!(title));
        }
        if !file.paths.is_empty() {
            hint.insert("paths".into(), json!(file.paths));
        }
        let known = beside.get(&file.base).filter(|_| first == i);
        if let Some(title) = known.and_then(|b| b.titles.get(&raw)) {
            hint.insert("stateTitle".into(), json!(title));
        }
        if let Some(import) = known.and_then(|b| b.imports.get(&raw)) {
            hint.insert("importedFrom".into(), json!(import.path));
            hint.insert("importTitle".into(), json!(import.title));
        }
        if let Some(queued) = known.and_then(|b| b.queued.get(&raw)) {
            size += queued.bytes;
            mtime = mtime.max(queued.mtime);
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

fn unpacked(path: &Path) -> io::Result<Box<dyn BufRead>> {
    let mut file = BufReader::new(crate::roots::open_plain(path)?);
    Ok(if file.fill_buf()?.starts_with(&[0x28, 0xB5, 0x2F, 0xFD]) {
        Box::new(BufReader::new(zstd::stream::Decoder::with_buffer(file)?))
    } else {
        Box::new(file)
    })
}

/// Reads the head of a rollout (or of a whole-file JSON session).
pub(super) fn head(path: &Path) -> io::Result<Head> {
    let mut reader = unpacked(path)?.take(HEAD);
    let mut tape = Tape::new();
    if path.extension().is_some_and(|e| e == "json") {
        let mut text = Vec::new();
        reader.read_to_end(&mut text)?;
        let session = super::typescript::session(&mut tape, &text);
        return Ok(session.map(|s| Head { id: own_id(s), ..Head::default() }).unwrap_or_default());
    }
    let mut line = Vec::new();
    for number in 0..HEAD_RECORDS {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let text = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        let Ok((record, _)) = tape.read(text) else { continue };
        if record.get_str("type").as_deref() == Some("session_meta") {
            let Some(meta) = record.get("payload") else { continue };
            return Ok(Head {
                id: own_id(meta),
                cwd: meta.get("cwd").and_then(Value::non_empty).map(Into::into),
                parent: parent_of(meta),
            });
        }
        if number == 0 && record.get("type").is_none() && record.get("payload").is_none() {
            return Ok(Head { id: own_id(record), ..Head::default() });
        }
    }
    Ok(Head::default())
}

fn own_id(meta: Value<'_>) -> Option<String> {
    meta.get("id")?.non_empty().map(Into::into)
}

/// Where a fork or a spawned agent comes from, in any of the ways that versions have written it.
pub(super) fn parent_of(meta: Value<'_>) -> Option<String> {
    const PLACES: [&[&str]; 4] = [
        &["forked_from_id"],
        &["parent_thread_id"],
        &["source", "subagent", "thread_spawn", "parent_thread_id"],
        &["history_base", "thread_id"],
    ];
    PLACES.iter().find_map(|place| meta.path(place)?.non_empty()).map(Into::into)
}

/// `rollout-2026-01-02T10-00-00-<id>.jsonl` and its older and compressed forms: the part after the time.
fn id_from_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = [".jsonl.zst", ".jsonl", ".json"].iter().find_map(|s| name.strip_suffix(s)).unwrap_or(&name);
    let rest = stem.strip_prefix("rollout-").unwrap_or(stem);
    ["dddd-dd-ddTdd-dd-dd-", "dddd-dd-dd-"]
        .iter()
        .find_map(|pattern| {
            let (time, id) = rest.split_at_checked(pattern.len())?;
            let fits = time.bytes().zip(pattern.bytes()).all(|(b, p)| if p == b'd' { b.is_ascii_digit() } else { b == p });
            (fits && !id.is_empty()).then_some(id)
        })
        .unwrap_or(stem)
        .to_owned()
}

/// Titles by conversation; the last one written counts.
fn read_titles(index: &Path) -> HashMap<String, String> {
    let mut titles = HashMap::new();
    if let Ok(file) = crate::roots::open_plain(index) {
        // A damaged index costs titles, never a conversation.
        let _ = crate::readers::records::read_records(BufReader::new(file), |span| {
            if let crate::readers::records::Content::Record(entry, _) = span.content {
                let text = |key| entry.get(key).and_then(Value::non_empty);
                if let (Some(id), Some(title)) = (text("id"), text("thread_name")) {
                    titles.insert(id.into_owned(), title.into_owned());
                }
            }
        });
    }
    titles
}

/// Opens the conversation's file, its folded copies, and the file of the conversation it comes from.
pub(in crate::sources) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let hint = |key: &str| candidate.hint.get(key);
    if hint("history").is_some() {
        let base = candidate.file_path.parent().unwrap_or(Path::new(""));
        return prompts::collect(roots, candidate, &[&base.join("sessions"), &base.join("archived_sessions")]);
    }
    let only_queued = hint("onlyQueued").is_some();
    let mut evidence = if only_queued { Evidence::default() } else { Evidence::of_file(roots, candidate)? };
    if let Some(queued) = hint("queue").and_then(|q| serde_json::from_value::<Queued>(q.clone()).ok()) {
        let thread = hint("thread").and_then(|t| t.as_str()).unwrap_or("");
        match beside::add_queued(roots, &queued, thread, &mut evidence) {
            Err(error) if only_queued => return Err(error),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
            Ok(()) => {}
        }
    }
    let paths = candidate.hint.get("copies").and_then(|c| c.as_array()).map_or(&[][..], Vec::as_slice);
    for path in paths.iter().filter_map(|p| p.as_str()) {
        match EvidenceFile::open(roots, Path::new(path)) {
            Ok(copy) => evidence.files.push(copy),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
        }
    }
    if let Some(parent) = candidate.hint.get("parentFile").and_then(|p| p.as_str()) {
        match EvidenceFile::open(roots, Path::new(parent)) {
            Ok(parent) => evidence.consulted.push(parent),
            Err(error) => evidence.notice(NoticeCode::ChangedWhileReading, error.to_string()),
        }
    }
    Ok(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_out_of_every_era_of_file_names() {
        let id = |name: &str| id_from_name(Path::new(name));
        assert_eq!(id("rollout-2026-01-02T10-00-00-abc-1.jsonl"), "abc-1");
        assert_eq!(id("rollout-2026-01-02T10-00-00-abc-1.jsonl.zst"), "abc-1");
        assert_eq!(id("rollout-2025-05-07-abc.json"), "abc");
        assert_eq!(id("rich.jsonl"), "rich");
        assert_eq!(id("rollout-2026-01-02T10-00-00-.jsonl"), "rollout-2026-01-02T10-00-00-");
    }

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
