//! `history.jsonl`: every prompt that was typed in any session, kept for longer than the sessions themselves.
//!
//! One conversation for each configuration folder. A prompt that its session's transcript has, word for word, is a
//! copy; one whose transcript is gone, or does not have it, stands here. Deliberately absent: any match by time,
//! and sorting prompts into sessions: the file says which session a prompt was of, and so does its entry.

use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Record, Roots};
use assay_model::{Candidate, Kind, Locator, Message, MessageType, NoticeCode, Reason, text};
use foldhash::{HashMap, HashSet};
use memchr::memmem;
use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// The id of such a conversation.
pub(super) const ID: &str = "history";

/// The file's name.
const FILE: &str = "history.jsonl";

/// Where long pastes lie, each by its hash.
const PASTES: &str = "paste-cache";

/// How the places begin at which a paste or an image stands in a prompt.
const PLACEHOLDERS: [&str; 4] = ["[Pasted text #", "[Image #", "[Audio #", "[...Truncated text #"];

/// The histories of what a person may name: a configuration folder, its `projects` folder, or a home folder.
pub(super) fn files(path: &Path) -> Vec<PathBuf> {
    let beside = path.file_name().filter(|n| *n == "projects").and(path.parent());
    let places = [Some(path.to_owned()), Some(path.join(".claude")), beside.map(Path::to_owned)];
    places.into_iter().flatten().map(|p| p.join(FILE)).filter(|p| p.is_file()).collect()
}

/// Opens the history, the pastes it names, and what people said in the transcripts that are still there.
pub(super) fn collect(roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::of_file(roots, candidate)?;
    let folder = candidate.file_path.parent().unwrap_or(Path::new(""));
    let named = Named::of(&evidence.files[0]).map_err(|e| ReadError::io(&candidate.file_path, &e))?;
    for transcript in transcripts(&folder.join("projects")) {
        let session = transcript.file_stem().unwrap_or_default().to_string_lossy();
        if named.sessions.contains(&*session) {
            evidence.consulted.extend(EvidenceFile::open(roots, &transcript).ok().and_then(|f| prompts(&f).ok()));
        }
    }
    for hash in named.pastes {
        let paste = folder.join(PASTES).join(format!("{hash}.txt"));
        if paste.is_file() {
            evidence.consulted.extend(EvidenceFile::open(roots, &paste));
        }
    }
    Ok(evidence)
}

/// What a history names.
#[derive(Default)]
struct Named {
    sessions: BTreeSet<String>,
    pastes: BTreeSet<String>,
}

impl Named {
    fn of(file: &EvidenceFile) -> std::io::Result<Self> {
        let mut named = Self::default();
        each_line(file, |record| {
            let text = |v: Option<Value<'_>>| v.and_then(Value::non_empty).map(std::borrow::Cow::into_owned);
            named.sessions.extend(text(record.get("sessionId")));
            for (_, paste) in record.get("pastedContents").into_iter().flat_map(Value::entries) {
                // A name, never a path.
                named.pastes.extend(text(paste.get("contentHash")).filter(|h| h.chars().all(char::is_alphanumeric)));
            }
        })?;
        Ok(named)
    }
}

fn each_line(file: &EvidenceFile, mut visit: impl FnMut(Value<'_>)) -> std::io::Result<()> {
    let (mut reader, mut tape, mut line) = (file.reader()?, Tape::new(), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        if let Ok((record, _)) = tape.read(&line) {
            visit(record);
        }
        line.clear();
    }
    Ok(())
}

fn transcripts(projects: &Path) -> Vec<PathBuf> {
    let inside = |folder: &Path| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        paths
    };
    let files = inside(projects).into_iter().flat_map(|project| inside(&project));
    files.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).collect()
}

/// What people said in a transcript: a JSON string a line.
fn prompts(transcript: &EvidenceFile) -> std::io::Result<EvidenceFile> {
    let mentions = [&b"\"user\""[..], b"queued_command", b"queue-operation", b"last-prompt"].map(memmem::Finder::new);
    let result = memmem::Finder::new(b"\"tool_use_id\"");
    let (mut reader, mut tape) = (transcript.reader()?, Tape::new());
    let (mut line, mut found) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        let likely = result.find(&line).is_none() && mentions.iter().any(|m| m.find(&line).is_some());
        if let Some(Ok((record, _))) = likely.then(|| tape.read(&line)) {
            for said in said(record) {
                serde_json::to_writer(&mut found, &said)?;
                found.push(b'\n');
            }
        }
        line.clear();
    }
    Ok(EvidenceFile::memory(&transcript.file, found))
}

fn said(record: Value<'_>) -> Vec<String> {
    let places = [&["message", "content"][..], &["attachment", "prompt"], &["content"], &["lastPrompt"]];
    let mut said = Vec::new();
    for value in places.iter().filter_map(|place| record.path(place)) {
        let parts = value.items().filter_map(|block| block.str().or_else(|| block.get_str("text")));
        let parts: Vec<String> = value.str().into_iter().chain(parts).map(std::borrow::Cow::into_owned).collect();
        if parts.len() > 1 {
            said.push(parts.join("\n"));
        }
        said.extend(parts);
    }
    said
}

/// A text as two writers of it would agree on.
fn plain(text: &str) -> String {
    text::trim(text).replace("\r\n", "\n")
}

/// What was said in one session.
#[derive(Default)]
struct Session {
    whole: HashSet<String>,
    all: Vec<String>,
}

impl Session {
    fn of(file: &EvidenceFile) -> Self {
        let mut session = Self::default();
        // It was made from a transcript a moment ago: every line is a string.
        let _ = each_line(file, |said| session.all.extend(said.str().map(|s| plain(&s))));
        session.whole = session.all.iter().cloned().collect();
        session
    }

    /// Whether a prompt was said here: as it is, with its pastes in place, or as the command that it is.
    fn has(&self, prompt: &str) -> bool {
        let prompt = plain(prompt);
        if self.whole.contains(&prompt) {
            return true;
        }
        let pieces = pieces(&prompt);
        if pieces.len() > 1 {
            return self.all.iter().any(|said| in_order(said, &pieces));
        }
        let (name, rest) = prompt.split_once(char::is_whitespace).unwrap_or((&prompt, ""));
        let tag = match (name.strip_prefix('/'), name.strip_prefix('!')) {
            (Some(command), _) => [format!("<command-name>/{command}</"), format!("<command-name>{command}</")],
            (None, Some(_)) => {
                let typed = plain(&prompt[1..]);
                return self.all.iter().any(|said| in_order(said, &["<bash-input>", &typed]));
            }
            (None, None) => return false,
        };
        self.all.iter().any(|said| tag.iter().any(|t| said.contains(t)) && said.contains(rest.trim()))
    }
}

/// What stands between the places of pastes; one piece if there are none.
fn pieces(prompt: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), prompt);
    while let Some(at) = PLACEHOLDERS.iter().filter_map(|p| rest.find(p)).min() {
        let Some(end) = rest[at..].find(']') else { break };
        pieces.push(rest[..at].trim());
        rest = &rest[at + end + 1..];
    }
    pieces.push(rest.trim());
    pieces
}

fn in_order(said: &str, pieces: &[&str]) -> bool {
    // A prompt that is nothing but pastes is not known by its words.
    let mut rest = said;
    pieces.iter().any(|p| !p.is_empty())
        && pieces.iter().all(|piece| match rest.find(piece) {
            Some(at) => {
                rest = &rest[at + piece.len()..];
                true
            }
            None => false,
        })
}

/// Reads a history into `account`.
pub(super) fn fill(evidence: &Evidence, account: &mut Account) {
    let Some(file) = evidence.files.first() else { return };
    let stem = |f: &EvidenceFile| crate::account::base_name(&f.file).trim_end_matches(".jsonl").to_owned();
    let is_paste = |f: &&EvidenceFile| f.file.ends_with(".txt");
    let mut history = History {
        sessions: evidence.consulted.iter().filter(|f| !is_paste(f)).map(|f| (stem(f), Session::of(f))).collect(),
        pastes: evidence.consulted.iter().filter(is_paste).map(|f| (crate::account::base_name(&f.file), f)).collect(),
        gone: BTreeSet::new(),
        prompts: 0,
    };
    account.project_name = ID.to_owned();
    account.read_jsonl(file, |account, record| history.prompt(account, &record));
    if history.prompts > 0 {
        let detail = format!("sessions {} prompts {}", history.gone.len(), history.prompts);
        account.notice(NoticeCode::BodyMissing, detail, None);
    }
}

struct History<'e> {
    sessions: HashMap<String, Session>,
    pastes: HashMap<&'e str, &'e EvidenceFile>,
    /// Sessions that have no transcript, and how many prompts of theirs, or of none, stand here.
    gone: BTreeSet<String>,
    prompts: u64,
}

impl History<'_> {
    fn prompt(&mut self, account: &mut Account, record: &Record<'_>) {
        let value = record.value;
        account.set_kind(record.entry, "prompt");
        let Some(prompt) = value.get_str("display") else {
            account.unknown(record.entry, "prompt/no-display", &value.raw_text());
            return;
        };
        let session = value.get("sessionId").and_then(Value::non_empty);
        let known = session.as_deref().and_then(|s| self.sessions.get(s));
        let is_copy = known.is_some_and(|s| s.has(&prompt));
        let when = account.time(value.get("timestamp"), record.locator);
        let start = if let Locator::Bytes { byte_start, .. } = record.locator { *byte_start } else { 0 };
        let message = |from, kind, text: &str, reason, pointer: &str| Message {
            when,
            has_code: text::has_fence(text),
            ..Message::recovered(format!("{start}{pointer}"), from, kind, text, reason, record.locator.at(pointer))
        };
        if is_copy {
            let fate = Fate::Folded(Reason::Duplicate, None);
            let block = account.block(record.entry, "/display", "prompt/display", prompt.len(), fate);
            account.excerpt(block, &prompt);
        } else if text::is_blank(&prompt) {
            let fate = Fate::Dropped(Reason::EmptyMessage);
            account.block(record.entry, "/display", "prompt/display", prompt.len(), fate);
        } else {
            let typed = message(MessageType::User, Kind::Text, &prompt, Reason::ExtendedCoverage, "/display");
            account.recover(record.entry, "/display", "prompt/display", typed);
            if known.is_none() {
                self.prompts += 1;
                self.gone.extend(session.as_deref().map(str::to_owned));
            }
        }
        for (number, paste) in value.get("pastedContents").into_iter().flat_map(Value::entries) {
            let pointer = pointer_to("/pastedContents", &number);
            let content = match (paste.get_str("content"), paste.get("contentHash").and_then(Value::non_empty)) {
                (Some(content), _) => Some(content.into_owned()),
                (None, Some(hash)) => match self.pastes.get(format!("{hash}.txt").as_str()) {
                    Some(file) => file.read_all().ok().map(|b| super::bodies::text(&hash, &b)),
                    None => {
                        account.notice(NoticeCode::BodyMissing, hash.clone(), Some(record.locator.at(&*pointer)));
                        None
                    }
                },
                (None, None) => None,
            };
            let kind = "prompt/pasted";
            match content {
                Some(content) if is_copy => {
                    let fate = Fate::Folded(Reason::Duplicate, None);
                    let block = account.block(record.entry, pointer, kind, content.len(), fate);
                    account.excerpt(block, &content);
                }
                Some(content) => {
                    let pasted = message(MessageType::User, Kind::Attachment, &content, Reason::Attachment, &pointer);
                    account.recover(record.entry, pointer, kind, pasted);
                }
                None if paste.kind() == JsonType::Object => {
                    let fate = Fate::Dropped(Reason::BodyMissing);
                    let block = account.block(record.entry, pointer, kind, paste.raw().len(), fate);
                    account.excerpt(block, &paste.raw_text());
                }
                None => {
                    let block = account.block(record.entry, pointer, kind, paste.raw().len(), Fate::Pending);
                    account.unknown(block, kind, &paste.raw_text());
                }
            }
        }
        const READ: [&str; 3] = ["display", "pastedContents", "timestamp"];
        for (key, field) in value.entries().filter(|(key, field)| !READ.contains(&&**key) && !field.is_default()) {
            let pointer = pointer_to("", &key);
            let text = super::render::text(field);
            let name = format!("prompt/{key}");
            if matches!(&*key, "project" | "sessionId") {
                let fate = Fate::Folded(Reason::Metadata, None);
                let block = account.block(record.entry, pointer, name, text.len(), fate);
                account.excerpt(block, &text);
            } else {
                let block = account.block(record.entry, pointer, name.clone(), text.len(), Fate::Pending);
                account.unknown(block, name, &field.raw_text());
            }
        }
    }
}
