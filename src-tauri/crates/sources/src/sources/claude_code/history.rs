//! `history.jsonl`: every prompt that was typed in any session, kept for longer than the sessions themselves.
//!
//! One conversation for each configuration folder. Long pastes lie beside it, each in a file named for its hash; a
//! prompt has places for them. Deliberately absent: which prompts are copies, see [`crate::prompts`], and sorting
//! prompts into sessions: the file says which session a prompt was of, and so does its entry.

use crate::prompts::{self, FILE, Fields, Saying, message, plain};
use crate::readers::json::{JsonType, Value, pointer_to};
use crate::readers::records::Content;
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Record, Roots};
use assay_model::{Candidate, Kind, NoticeCode, Reason, Timestamp, When};
use foldhash::HashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(super) use crate::prompts::ID;

/// Where long pastes lie.
const PASTES: &str = "paste-cache";

/// How the file of one ends.
const PASTE: &str = ".txt";

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
    let folder = candidate.file_path.parent().unwrap_or(Path::new(""));
    let mut evidence = prompts::collect::<Typed<'_>>(roots, candidate, transcripts(&folder.join("projects")))?;
    let mut hashes: BTreeSet<String> = BTreeSet::new();
    let listed = evidence.files[0].records(|span| {
        let Content::Record(prompt, _) = span.content else { return };
        for (_, paste) in prompt.get("pastedContents").into_iter().flat_map(Value::entries) {
            // A name, never a path.
            let hash = paste.get("contentHash").and_then(Value::non_empty);
            hashes.extend(hash.filter(|h| h.chars().all(char::is_alphanumeric)).map(Cow::into_owned));
        }
    });
    listed.map_err(|e| ReadError::io(&candidate.file_path, &e))?;
    for hash in hashes {
        let paste = folder.join(PASTES).join(format!("{hash}{PASTE}"));
        if paste.is_file() {
            // One that cannot be read is remarked where a prompt names it.
            evidence.consulted.extend(EvidenceFile::open(roots, &paste));
        }
    }
    Ok(evidence)
}

/// The transcripts below a folder of project folders, by session.
fn transcripts(projects: &Path) -> Vec<(String, PathBuf)> {
    let inside = |folder: &Path| {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        paths.sort();
        paths
    };
    let files = inside(projects).into_iter().flat_map(|project| inside(&project));
    let session = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    files.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).map(|path| (session(&path), path)).collect()
}

/// Reads a history into `account`.
pub(super) fn fill(evidence: &Evidence, account: &mut Account) {
    let is_paste = |file: &EvidenceFile| file.file.ends_with(PASTE);
    let pastes = evidence.consulted.iter().filter(|f| is_paste(f));
    let typed = Typed { pastes: pastes.map(|f| (crate::account::base_name(&f.file), f)).collect() };
    prompts::fill(&typed, evidence, is_paste, account);
}

/// What was typed, with the pastes at hand by the names of their files.
struct Typed<'e> {
    pastes: HashMap<&'e str, &'e EvidenceFile>,
}

impl prompts::History for Typed<'_> {
    const FIELDS: Fields = Fields {
        words: "display",
        time: "timestamp",
        seconds: false,
        conversation: "sessionId",
        place: Some("project"),
        beside: Some("pastedContents"),
    };
    const MENTIONS: &'static [&'static str] = &["\"user\"", "queued_command", "queue-operation", "local_command"];

    fn saying(record: Value<'_>) -> Option<Saying> {
        let kind = record.get_str("type").or_else(|| record.path(&["message", "role"])?.str())?;
        let is = |place: &[&str], what: &str| record.path(place).and_then(Value::str).is_some_and(|t| t == what);
        let (stream, said) = match &*kind {
            "user" => (0, record.path(&["message", "content"])?),
            "attachment" if is(&["attachment", "type"], "queued_command") => (0, record.path(&["attachment", "prompt"])?),
            "queue-operation" if is(&["operation"], "enqueue") => (1, record.get("content")?),
            "system" if is(&["subtype"], "local_command") => (2, record.get("content")?),
            _ => return None,
        };
        let result = |block: Value<'_>| block.get("tool_use_id").is_some();
        if said.items().any(result) {
            return None;
        }
        let parts = said.items().filter_map(|block| block.str().or_else(|| block.get_str("text")));
        let mut parts: Vec<String> = said.str().into_iter().chain(parts).map(Cow::into_owned).collect();
        if parts.len() > 1 {
            parts.push(parts.join("\n"));
        }
        Some(Saying {
            stream,
            id: record.get("uuid").and_then(Value::non_empty).map(Cow::into_owned),
            at: record.get_str("timestamp").and_then(|t| Timestamp::parse(&t)),
            texts: parts.iter().flat_map(|said| [Some(plain(said)), command(said)]).flatten().collect(),
        })
    }

    fn forms(&self, prompt: Value<'_>, words: &str) -> Vec<String> {
        let whole = self.with_pastes(prompt, words);
        [Some(words), whole.as_deref()].into_iter().flatten().map(as_command).collect()
    }

    fn has_gaps(&self, words: &str) -> bool {
        pieces(words).len() > 1
    }

    fn fits(&self, words: &str, said: &str) -> bool {
        let words = as_command(words);
        fits(said, &pieces(&words))
    }

    fn beside(&self, account: &mut Account, record: &Record<'_>, when: When, said: Option<&[String]>) {
        for (number, paste) in record.value.get("pastedContents").into_iter().flat_map(Value::entries) {
            let (pointer, kind) = (pointer_to("/pastedContents", &number), "prompt/pasted");
            let content = self.pasted(paste);
            if content.is_none()
                && let Some(hash) = paste.get("contentHash").and_then(Value::non_empty)
            {
                account.notice(NoticeCode::BodyMissing, hash, Some(record.locator.at(&*pointer)));
            }
            match content {
                // In its place in what was said.
                Some(content) if said.is_some_and(|said| said.iter().any(|t| t.contains(&plain(&content)))) => {
                    let fate = Fate::Folded(Reason::Duplicate, None);
                    let block = account.block(record.entry, pointer, kind, content.len(), fate);
                    account.excerpt(block, &content);
                }
                Some(content) => {
                    let pasted = message(record, when, Kind::Attachment, &content, Reason::Attachment, &pointer);
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
    }
}

impl Typed<'_> {
    /// What was pasted, where it is at hand.
    fn pasted<'a>(&self, paste: Value<'a>) -> Option<Cow<'a, str>> {
        paste.get_str("content").or_else(|| {
            let hash = paste.get("contentHash").and_then(Value::non_empty)?;
            let file = self.pastes.get(format!("{hash}{PASTE}").as_str())?;
            Some(super::bodies::text(&hash, &file.read_all().ok()?).into())
        })
    }

    /// The words with each paste in its place; `None` if there is no paste at hand.
    fn with_pastes(&self, prompt: Value<'_>, words: &str) -> Option<String> {
        let pastes = prompt.get("pastedContents")?;
        let (mut whole, mut rest, mut filled) = (String::new(), words, false);
        while let Some((at, end)) = placeholder(rest) {
            let number: String = rest[at..end].chars().skip_while(|c| *c != '#').skip(1).take_while(char::is_ascii_digit).collect();
            whole.push_str(&rest[..at]);
            match pastes.get(&number).and_then(|paste| self.pasted(paste)) {
                Some(content) => {
                    whole.push_str(&content);
                    filled = true;
                }
                None => whole.push_str(&rest[at..end]),
            }
            rest = &rest[end..];
        }
        whole.push_str(rest);
        filled.then_some(whole)
    }
}

/// What a person typed, with a command written as [`command`] writes it.
fn as_command(typed: &str) -> String {
    let typed = plain(typed);
    if let Some(shell) = typed.strip_prefix('!') {
        return format!("!{}", shell.trim());
    }
    match typed.split_once(char::is_whitespace) {
        Some((name, arguments)) if name.starts_with('/') => format!("{name} {}", arguments.trim()),
        _ => typed,
    }
}

/// What a person typed for a command that a transcript writes in tags.
fn command(said: &str) -> Option<String> {
    let inside = |tag: &str| {
        let (_, rest) = said.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once(&format!("</{tag}>"))?.0.trim())
    };
    if let Some(shell) = inside("bash-input") {
        return Some(as_command(&format!("!{shell}")));
    }
    let name = inside("command-name")?.trim_start_matches('/');
    Some(as_command(&format!("/{name} {}", inside("command-args").unwrap_or(""))))
}

/// Where the first place of a paste begins and ends.
fn placeholder(text: &str) -> Option<(usize, usize)> {
    let at = PLACEHOLDERS.iter().filter_map(|p| text.find(p)).min()?;
    Some((at, at + text[at..].find(']')? + 1))
}

/// What stands between the places of pastes; one piece if there are none.
fn pieces(prompt: &str) -> Vec<&str> {
    let (mut pieces, mut rest) = (Vec::new(), prompt);
    while let Some((at, end)) = placeholder(rest) {
        pieces.push(rest[..at].trim());
        rest = &rest[end..];
    }
    pieces.push(rest.trim());
    pieces
}

/// Whether a text is these pieces with something between them.
fn fits(said: &str, pieces: &[&str]) -> bool {
    // A prompt that is nothing but pastes is not known by its words.
    if pieces.iter().all(|piece| piece.is_empty()) {
        return false;
    }
    let [first, between @ .., last] = pieces else { return false };
    let Some(mut rest) = said.strip_prefix(first).and_then(|rest| rest.strip_suffix(last)) else { return false };
    between.iter().all(|piece| match rest.find(piece) {
        Some(at) => {
            rest = &rest[at + piece.len()..];
            true
        }
        None => false,
    })
}
