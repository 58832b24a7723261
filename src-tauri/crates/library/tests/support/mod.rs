//! Synthetic conversations, and the whole content of a library as text.
#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "in a test")]

use assay_library::{Bytes, Incoming, Library, Original};
use assay_model::hash::{self, Hash};
use assay_model::{
    Candidate, Coverage, Disposition, FileExtent, Kind, Ledger, LedgerEntry, Locator, Message, MessageType, Notice,
    NoticeCode, ParsedConversation, Reason, Retention, Summary, Timestamp, Verdict, When,
};
use std::path::Path;
use std::sync::Arc;

/// A conversation as a parse would have it, with all that an import needs.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub candidate: Candidate,
    pub conversation: ParsedConversation,
    pub ledger: Ledger,
    pub summary: Summary,
    pub content_hash: Hash,
    pub chain: Vec<Hash>,
    pub raw_hash: Option<Hash>,
    pub parser_version: String,
    pub retention: Retention,
    pub read_at: i64,
    pub original: Option<Original>,
}

/// One line of a synthetic store: who says what, and whether the published rules would lose it.
#[derive(Debug, Clone)]
pub struct Line {
    pub from: MessageType,
    pub text: String,
    pub thinking: Option<String>,
    pub recovered: bool,
    /// Milliseconds after the first; `None` where the store has no time.
    pub at: Option<i64>,
}

pub fn said(from: MessageType, text: &str) -> Line {
    Line { from, text: text.into(), thinking: None, recovered: false, at: None }
}

/// Question, answer, question, … `n` of them.
pub fn talk(n: usize) -> Vec<Line> {
    (0..n)
        .map(|i| Line {
            at: Some(i as i64 * 1000),
            ..said(if i % 2 == 0 { MessageType::User } else { MessageType::Assistant }, &format!("message {i}"))
        })
        .collect()
}

pub fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_millis(1_767_225_600_000 + seconds * 1000).unwrap()
}

impl Parsed {
    /// Reads a store of these lines, as an adapter with made-up rules would: times that are missing come
    /// from the neighbours, so that a line may change what is said about earlier ones.
    pub fn of(source: &str, id: &str, lines: &[Line]) -> Self {
        let file: Arc<str> = format!("/home/u/.{source}/{id}.jsonl").into();
        let (mut messages, mut ledger) = (Vec::new(), Ledger::default());
        let mut end = 0;
        for (i, line) in lines.iter().enumerate() {
            let start = end;
            end += line.text.len() as u64 + 20;
            let locator = Locator::Bytes {
                file: file.clone(),
                byte_start: start,
                byte_end: end,
                line: i as u64 + 1,
                pointer: None,
            };
            let index = messages.len() as u32;
            let block = locator.at(format!("/content/{i}"));
            let mut message = if line.recovered {
                let kind = Kind::ToolResult;
                Message::recovered(format!("m{i}"), line.from, kind, &line.text, Reason::ToolResult, block.clone())
            } else {
                Message::new(format!("m{i}"), line.from, &line.text, locator.clone())
            };
            message.thinking = line.thinking.clone();
            message.has_code = line.text.contains("```");
            message.position = index;
            message.parent_uuid = (i > 0).then(|| format!("m{}", i - 1));
            message.when = line.at.map_or(When::MISSING, |ms| When::Recorded(moment(0).plus_millis(ms)));
            messages.push(message);
            let disposition = if line.recovered { Disposition::Recovered } else { Disposition::Kept };
            for (locator, kind, bytes) in [(locator, "line", end - start), (block, "line/text", line.text.len() as u64)]
            {
                ledger.entries.push(LedgerEntry {
                    locator,
                    kind: kind.into(),
                    disposition,
                    reason: line.recovered.then_some(Reason::ToolResult),
                    message_index: Some(index),
                    bytes,
                    excerpt: None,
                });
            }
        }
        let following: Vec<_> = (0..messages.len()).map(|i| messages[i..].iter().find_map(|m| m.when.at())).collect();
        let mut before = None;
        for (message, after) in messages.iter_mut().zip(following) {
            match message.when.at() {
                Some(at) => {
                    message.out_of_order = before.is_some_and(|b| at < b);
                    before = before.max(Some(at));
                }
                None if before.is_some() => message.when = When::Synthetic { at: before, rule: "preceding-message" },
                None => message.when = When::Synthetic { at: after, rule: "following-message" },
            }
        }
        ledger.extents.push(FileExtent { file, bytes: end });
        if !lines.is_empty() {
            ledger.notices.push(Notice {
                code: NoticeCode::CwdChanged,
                detail: lines.len().to_string(),
                locator: messages.last().map(|m| m.locator.clone()),
            });
        }
        let mut reference: Vec<u32> = messages.iter().filter(|m| m.is_reference()).map(|m| m.position).collect();
        reference.sort_by_key(|p| messages[*p as usize].when.at());
        let mut conversation = ParsedConversation {
            id: id.into(),
            slug: None,
            source: source.into(),
            project_dir: "-home-u-project".into(),
            project_name: "project".into(),
            cwd: Some("/home/u/project".into()),
            git_branch: None,
            tool_version: None,
            links: Vec::new(),
            messages,
            reference_order: reference,
            first_message_at: None,
            last_message_at: None,
        };
        conversation.bound_times();
        let candidate = Candidate {
            id: id.into(),
            source: source.into(),
            file_path: format!("/home/u/.{source}/{id}.jsonl").into(),
            file_size: end,
            file_mtime: 1_767_225_600_000_000_000 + end as i64,
            project_dir: "-home-u-project".into(),
            coverage: Coverage::Reference,
            hint: serde_json::Value::Null,
        };
        let text: String = lines.iter().map(|l| l.text.as_str()).collect();
        let mut parsed = Self {
            candidate,
            summary: Summary::of(&conversation, &ledger),
            content_hash: hash::content_hash(&conversation),
            chain: hash::chain(&conversation),
            raw_hash: Some(hash::sha256(text.as_bytes())),
            conversation,
            ledger,
            parser_version: format!("{source}@1"),
            retention: Retention::Full,
            read_at: 1_767_225_700_000_000_000,
            original: None,
        };
        parsed.settle();
        parsed
    }

    /// Makes hashes and numbers again, after a change of the conversation.
    pub fn settle(&mut self) {
        self.summary = Summary::of(&self.conversation, &self.ledger);
        self.content_hash = hash::content_hash(&self.conversation);
        self.chain = hash::chain(&self.conversation);
    }

    pub fn verdict(&self) -> Verdict {
        Verdict::of(&self.conversation, &self.summary, self.retention)
    }

    pub fn incoming(&self) -> Incoming<'_> {
        Incoming {
            candidate: &self.candidate,
            conversation: &self.conversation,
            ledger: &self.ledger,
            summary: &self.summary,
            verdict: self.verdict(),
            content_hash: self.content_hash,
            chain: &self.chain,
            raw_hash: self.raw_hash,
            parser_version: &self.parser_version,
            retention: self.retention,
            read_at: self.read_at,
            original: self.original.as_ref().map_or(Bytes::NotKept, Bytes::Kept),
        }
    }
}

pub fn open(folder: &Path) -> Library {
    Library::open(&folder.join("library.db")).unwrap()
}

/// Indexes all that is not indexed yet.
pub fn index(library: &mut Library) {
    while library.index(&mut |_| true).unwrap() {}
}

/// Every row of every table but the runs', with conversations by name instead of by key, in a fixed order.
/// Of the text index: which words stand in which messages.
pub fn dump(path: &Path) -> Vec<String> {
    let db = rusqlite::Connection::open(path).unwrap();
    let mut lines = Vec::new();
    let tables = [
        ("conversation", "conversation"),
        ("message", "message & 4294967295"),
        ("ledger_entry", "chunk & 4294967295"),
        ("notice", "notice & 4294967295"),
        ("conversation_reason", "0"),
        ("unindexed", "0"),
        ("standing", "0"),
        ("label", "0"),
        ("original", "0"),
        ("original_piece", "part & 4294967295"),
    ];
    for (table, number) in tables {
        let mut names = db.prepare("SELECT name FROM pragma_table_info(?)").unwrap();
        let names: Vec<String> = names.query_map([table], |r| r.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        if names.is_empty() {
            continue; // an earlier version without it
        }
        let names: Vec<_> = names
            .iter()
            .filter(|n| {
                !["conversation", "message", "chunk", "notice", "part", "piece", "earlier_of", "copy_of"]
                    .contains(&n.as_str())
            })
            .collect();
        let columns: Vec<_> = names.iter().map(|n| format!("quote(CAST(t.{n} AS BLOB))")).collect();
        let sql = format!(
            "SELECT '{table} ' || c.source || ' ' || c.source_conversation_id || ' ' ||
                    ({number_of}) || ' ' || concat_ws(' ', {}) FROM {table} t JOIN conversation c USING (conversation)
             ORDER BY 1",
            columns.join(", "),
            number_of = if table == "conversation" { "0" } else { number },
        );
        let mut rows = db.prepare(&sql).unwrap();
        lines.extend(rows.query_map([], |r| r.get::<_, String>(0)).unwrap().map(Result::unwrap));
    }
    db.execute_batch("CREATE VIRTUAL TABLE temp.words USING fts5vocab ('main', 'message_fts', 'instance')").unwrap();
    let mut words = db
        .prepare(
            "SELECT concat_ws(' ', 'word', c.source, c.source_conversation_id, doc & 4294967295, col, offset, term)
             FROM words JOIN conversation c ON c.conversation = doc >> 32 ORDER BY 1",
        )
        .unwrap();
    lines.extend(words.query_map([], |r| r.get::<_, String>(0)).unwrap().map(Result::unwrap));
    lines
}
