//! Histories: files with every prompt that was submitted in any conversation, kept for longer than the conversations
//! themselves.
//!
//! A prompt is a copy where the transcript of its conversation keeps the same words, said when the prompt was
//! submitted or within the hour that it may have waited; each time that they were said stands for one prompt. One
//! whose transcript is gone, or does not have it, stands here. Deliberately absent: where histories and transcripts
//! lie, and how a tool writes a prompt down once it is sent, see the sources.

use crate::readers::json::{Value, pointer_to};
use crate::readers::records::Content;
use crate::{Account, Evidence, EvidenceFile, Fate, ReadError, Record, Roots};
use assay_model::{Candidate, Kind, Locator, Message, MessageType, NoticeCode, Reason, Timestamp, When, text};
use foldhash::{HashMap, HashSet};
use memchr::memmem;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The file's name, and the id of the conversation that it is.
pub(crate) const FILE: &str = "history.jsonl";
pub(crate) const ID: &str = "history";

/// How much later than it was submitted a prompt may be said, and how much earlier by another clock or in whole
/// seconds, in milliseconds.
const WAITS: i64 = 3_600_000;
const EARLIER: i64 = 2_000;

/// The fields of a prompt in a history.
pub(crate) struct Fields {
    pub words: &'static str,
    pub time: &'static str,
    /// Whether the time is in whole seconds.
    pub seconds: bool,
    pub conversation: &'static str,
    /// Where it was typed.
    pub place: Option<&'static str>,
    /// What [`History::beside`] accounts for.
    pub beside: Option<&'static str>,
}

/// One time that something was said, as a transcript keeps it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Saying {
    /// A transcript may write the same in several ways, each of them for every prompt: this is which.
    pub stream: u8,
    /// What tells it from the same words said again.
    pub id: Option<String>,
    pub at: Option<Timestamp>,
    /// The words, in each way that they may be known by.
    pub texts: Vec<String>,
}

/// How a source writes its history.
pub(crate) trait History {
    const FIELDS: Fields;

    /// Bytes of which a record that is a saying has one.
    const MENTIONS: &'static [&'static str];

    /// What a record of a transcript says that a person said.
    fn saying(record: Value<'_>) -> Option<Saying>;

    /// The words of a prompt, in each way that a transcript may have them.
    fn forms(&self, prompt: Value<'_>, words: &str) -> Vec<String>;

    /// Whether a prompt has parts that are not at hand.
    fn has_gaps(&self, words: &str) -> bool;

    /// Whether a prompt with gaps may be what was said.
    fn fits(&self, words: &str, said: &str) -> bool;

    /// Accounts for what stands beside the words. `said`: what the prompt is a copy of.
    fn beside(&self, account: &mut Account, record: &Record<'_>, when: When, said: Option<&[String]>);
}

/// A text as two writers of it would agree on.
pub(crate) fn plain(text: &str) -> String {
    text::trim(text).replace("\r\n", "\n")
}

/// A recovered message of a history's record.
pub(crate) fn message(
    record: &Record<'_>,
    when: When,
    kind: Kind,
    text: &str,
    reason: Reason,
    pointer: &str,
) -> Message {
    let start = start(record.locator);
    let place = record.locator.at(pointer);
    let message = Message::recovered(format!("{start}{pointer}"), MessageType::User, kind, text, reason, place);
    Message { when, has_code: text::has_fence(text), ..message }
}

fn start(locator: &Locator) -> u64 {
    if let Locator::Bytes { byte_start, .. } = locator { *byte_start } else { 0 }
}

/// Opens a history, and what people said in those of these transcripts whose conversations it names.
pub(crate) fn collect<H: History>(
    roots: &Roots,
    candidate: &Candidate,
    transcripts: impl IntoIterator<Item = (String, PathBuf)>,
) -> Result<Evidence, ReadError> {
    let mut evidence = Evidence::of_file(roots, candidate)?;
    let mut named: BTreeSet<String> = BTreeSet::new();
    let listed = evidence.files[0].records(|span| {
        if let Content::Record(prompt, _) = span.content {
            named.extend(prompt.get(H::FIELDS.conversation).and_then(Value::non_empty).map(Cow::into_owned));
        }
    });
    listed.map_err(|e| ReadError::io(&candidate.file_path, &e))?;
    for (conversation, path) in transcripts.into_iter().filter(|(id, _)| named.contains(id)) {
        // One that is gone by now has nothing to say; one that cannot be read is reported as itself.
        let said = EvidenceFile::open(roots, &path).ok().and_then(|file| sayings::<H>(&file).ok());
        evidence.consulted.extend(said.map(|said| EvidenceFile::memory(&conversation, said)));
    }
    Ok(evidence)
}

/// What people said in a transcript: a JSON object a line.
fn sayings<H: History>(transcript: &EvidenceFile) -> std::io::Result<Vec<u8>> {
    let mentions: Vec<_> = H::MENTIONS.iter().map(memmem::Finder::new).collect();
    let mut found = Vec::new();
    transcript.records(|span| {
        if !mentions.iter().any(|mention| mention.find(span.bytes).is_some()) {
            return;
        }
        if let Content::Record(record, _) = span.content
            && let Some(Saying { stream, id, at, texts }) = H::saying(record)
        {
            let at = at.map(Timestamp::millis);
            let line = serde_json::json!({ "stream": stream, "id": id, "at": at, "texts": texts });
            found.extend_from_slice(line.to_string().as_bytes());
            found.push(b'\n');
        }
    })?;
    Ok(found)
}

fn read_sayings(consulted: &EvidenceFile, into: &mut Vec<Saying>) {
    // It was made a moment ago: every line is an object.
    let _ = consulted.records(|span| {
        let Content::Record(line, _) = span.content else { return };
        into.push(Saying {
            stream: line.get("stream").and_then(Value::i64).and_then(|n| u8::try_from(n).ok()).unwrap_or(0),
            id: line.get_str("id").map(Cow::into_owned),
            at: line.get("at").and_then(Value::i64).and_then(Timestamp::from_millis),
            texts: line
                .get("texts")
                .into_iter()
                .flat_map(Value::items)
                .filter_map(Value::str)
                .map(Cow::into_owned)
                .collect(),
        });
    });
}

/// A prompt of a history, to find out what it is a copy of.
struct Prompt {
    start: u64,
    at: Option<Timestamp>,
    forms: Vec<String>,
    /// Its words, if it has gaps.
    gaps: Option<String>,
}

/// What each prompt of one conversation is a copy of, by its place.
fn copies<'s, H: History>(history: &H, prompts: &[Prompt], sayings: &'s mut [Saying]) -> HashMap<u64, &'s [String]> {
    let mut by_form: HashMap<&str, Vec<usize>> = HashMap::default();
    for (n, prompt) in prompts.iter().enumerate() {
        for form in &prompt.forms {
            by_form.entry(form).or_default().push(n);
        }
    }
    let gaps: Vec<usize> = (0..prompts.len()).filter(|n| prompts[*n].gaps.is_some()).collect();
    sayings.sort_by_key(|saying| (saying.stream, saying.at));
    let mut copies: HashMap<u64, &[String]> = HashMap::default();
    let mut seen: HashSet<(u8, &str)> = HashSet::default();
    for stream in sayings.chunk_by(|a, b| a.stream == b.stream) {
        let mut taken = vec![false; prompts.len()];
        // The latest of those that were submitted before it was said.
        let mut take = |saying: &'s Saying, of: &[usize]| {
            let near = |n: &usize| match (prompts[*n].at, saying.at) {
                (Some(submitted), Some(said)) => (-EARLIER..=WAITS).contains(&(said.millis() - submitted.millis())),
                _ => true,
            };
            let free = of.iter().copied().filter(|n| !taken[*n]).filter(near);
            let Some(prompt) = free.max_by_key(|n| prompts[*n].at) else { return false };
            taken[prompt] = true;
            copies.insert(prompts[prompt].start, &saying.texts);
            true
        };
        let mut rest = Vec::new();
        for saying in stream {
            if saying.id.as_deref().is_some_and(|id| !seen.insert((saying.stream, id))) {
                continue;
            }
            let same: Vec<usize> =
                saying.texts.iter().filter_map(|t| by_form.get(t.as_str())).flatten().copied().collect();
            if !take(saying, &same) {
                rest.push(saying);
            }
        }
        for saying in rest {
            let fits = |n: &usize| {
                let words = prompts[*n].gaps.as_deref().unwrap_or("");
                saying.texts.iter().any(|said| history.fits(words, said))
            };
            let fitting: Vec<usize> = gaps.iter().copied().filter(fits).collect();
            take(saying, &fitting);
        }
    }
    copies
}

/// Reads a history into `account`. The files that it consults have the sayings of the conversation that they are named
/// for, but for those in `others`.
pub(crate) fn fill<H: History>(
    history: &H,
    evidence: &Evidence,
    others: impl Fn(&EvidenceFile) -> bool,
    account: &mut Account,
) {
    let Some(file) = evidence.files.first() else { return };
    let mut sayings: HashMap<&str, Vec<Saying>> = HashMap::default();
    for consulted in evidence.consulted.iter().filter(|f| !others(f)) {
        read_sayings(consulted, sayings.entry(&consulted.file).or_default());
    }
    let mut prompts: HashMap<String, Vec<Prompt>> = HashMap::default();
    // What cannot be read of it is said when it is read again.
    let _ = file.records(|span| {
        let Content::Record(value, _) = span.content else { return };
        let Some(words) = value.get_str(H::FIELDS.words).filter(|words| !text::is_blank(words)) else { return };
        let Some(conversation) = value.get(H::FIELDS.conversation).and_then(Value::non_empty) else { return };
        if sayings.contains_key(&*conversation) {
            prompts.entry(conversation.into_owned()).or_default().push(Prompt {
                start: span.start,
                at: time::<H>(value),
                forms: history.forms(value, &words),
                gaps: history.has_gaps(&words).then(|| words.into_owned()),
            });
        }
    });
    let mut known: HashMap<&str, HashMap<u64, &[String]>> = HashMap::default();
    for (conversation, sayings) in &mut sayings {
        let prompts = prompts.get(*conversation).map_or(&[][..], Vec::as_slice);
        known.insert(conversation, copies(history, prompts, sayings));
    }
    ID.clone_into(&mut account.project_name);
    let mut told = Told { history, known, gone: BTreeSet::new(), prompts: 0 };
    account.read_jsonl(file, |account, record| told.prompt(account, &record));
    if told.prompts > 0 {
        let detail = format!("sessions {} prompts {}", told.gone.len(), told.prompts);
        account.notice(NoticeCode::BodyMissing, detail, None);
    }
}

/// When a prompt was submitted, if that can be meant.
fn time<H: History>(prompt: Value<'_>) -> Option<Timestamp> {
    let value = prompt.get(H::FIELDS.time)?;
    let at = match value.str() {
        Some(text) => Timestamp::parse(&text),
        None if H::FIELDS.seconds => value.i64().and_then(|s| Timestamp::from_millis(s.checked_mul(1000)?)),
        None => value.i64().and_then(Timestamp::from_millis),
    };
    at.filter(|at| at.is_sane())
}

struct Told<'s, H> {
    history: &'s H,
    /// Of each conversation that has a transcript, its prompts that are copies.
    known: HashMap<&'s str, HashMap<u64, &'s [String]>>,
    /// Conversations that have none, and how many prompts of theirs, or of none, stand here.
    gone: BTreeSet<String>,
    prompts: u64,
}

impl<H: History> Told<'_, H> {
    fn prompt(&mut self, account: &mut Account, record: &Record<'_>) {
        let (value, fields) = (record.value, H::FIELDS);
        account.set_kind(record.entry, "prompt");
        let Some(words) = value.get_str(fields.words) else {
            account.unknown(record.entry, format!("prompt/no-{}", fields.words), &value.raw_text());
            return;
        };
        let conversation = value.get(fields.conversation).and_then(Value::non_empty);
        let known = conversation.as_deref().and_then(|id| self.known.get(id));
        let said = known.and_then(|copies| copies.get(&start(record.locator)).copied());
        let seconds = time::<H>(value).filter(|_| fields.seconds);
        let when = seconds.map_or_else(|| account.time(value.get(fields.time), record.locator), When::Recorded);
        let (pointer, kind) = (format!("/{}", fields.words), format!("prompt/{}", fields.words));
        if said.is_some() {
            let fate = Fate::Folded(Reason::Duplicate, None);
            let block = account.block(record.entry, pointer, kind, words.len(), fate);
            account.excerpt(block, &words);
        } else if text::is_blank(&words) {
            let fate = Fate::Dropped(Reason::EmptyMessage);
            account.block(record.entry, pointer, kind, words.len(), fate);
        } else {
            let typed = message(record, when, Kind::Text, &words, Reason::ExtendedCoverage, &pointer);
            account.recover(record.entry, pointer, kind, typed);
            if known.is_none() {
                self.prompts += 1;
                self.gone.extend(conversation.as_deref().map(str::to_owned));
            }
        }
        self.history.beside(account, record, when, said);
        for (key, field) in value.entries().filter(|(_, field)| !field.is_default()) {
            if key == fields.words || key == fields.time || Some(&*key) == fields.beside {
                continue;
            }
            let (pointer, kind) = (pointer_to("", &key), format!("prompt/{key}"));
            let text = field.str().unwrap_or_else(|| field.raw_text());
            let block =
                account.block(record.entry, pointer, kind.clone(), text.len(), Fate::Folded(Reason::Metadata, None));
            account.excerpt(block, &text);
            if key != fields.conversation && Some(&*key) != fields.place {
                account.unknown(block, kind, &text);
            }
        }
    }
}
