//! The machine-readable surface: one JSON object a line, with stable names.
//!
//! What people's scripts match on stands here and nowhere else, so that a change inside is not a change
//! for them. Deliberately absent: printing.

use crate::clock::iso;
use crate::dto::{Count, ImportResult};
use crate::examine::{Examined, Hashes, Trouble};
use crate::pipeline::Task;
use crate::plan::Plan;
use crate::preview::{coverage, relation};
use crate::survey::Survey;
use assay_library::{Hit, Listed, OutcomeRow, Stored};
use assay_model::hash::hex;
use assay_model::{
    Candidate, Disposition, LedgerEntry, Link, Message, Notice, ParsedConversation, Summary, Timestamp, Verdict,
    identity,
};
use assay_sources::State;
use serde::Serialize;
use std::collections::BTreeMap;

/// What to leave out of a conversation's line.
#[derive(Debug, Clone, Copy, Default)]
pub struct LineOptions {
    /// Leave the messages out.
    pub no_messages: bool,
    /// Leave the ledger out.
    pub no_ledger: bool,
}

/// A source, as `assay detect --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DetectLine {
    source: &'static str,
    display_name: &'static str,
    enabled: bool,
    state: State,
    roots: Vec<RootLine>,
    conversations: u64,
    bytes: u64,
    error: Option<String>,
}

#[derive(Debug, Serialize)]
struct RootLine {
    path: String,
    origin: String,
    exists: bool,
    readable: bool,
    conversations: u64,
    note: Option<String>,
}

impl DetectLine {
    /// The line of one survey.
    pub fn of(survey: &Survey, enabled: bool) -> Self {
        let manifest = survey.adapter.manifest();
        let found = &survey.detection;
        Self {
            source: manifest.name,
            display_name: manifest.display_name,
            enabled,
            state: found.state,
            roots: found
                .roots
                .iter()
                .map(|r| RootLine {
                    path: r.path.to_string_lossy().into_owned(),
                    origin: r.origin.clone(),
                    exists: r.exists,
                    readable: r.readable,
                    conversations: r.conversations,
                    note: r.note.clone(),
                })
                .collect(),
            conversations: found.conversations,
            bytes: found.bytes,
            error: found.error.clone(),
        }
    }
}

/// What the scan found, as a line names it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MetaLine {
    id: String,
    source: String,
    file_path: String,
    file_size: u64,
    file_mtime: String,
    project_dir: String,
}

impl MetaLine {
    /// From a candidate.
    pub fn of(candidate: &Candidate) -> Self {
        Self {
            id: candidate.id.clone(),
            source: candidate.source.clone(),
            file_path: candidate.file_path.to_string_lossy().into_owned(),
            file_size: candidate.file_size,
            file_mtime: iso(candidate.file_mtime),
            project_dir: candidate.project_dir.clone(),
        }
    }
}

/// The account in numbers, as a line names them. Every disposition is there, also with a zero.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryLine {
    records: u64,
    bytes: u64,
    blocks: u64,
    by_disposition: BTreeMap<Disposition, u64>,
    blocks_by_disposition: BTreeMap<Disposition, u64>,
    content_bytes_by_disposition: BTreeMap<Disposition, u64>,
    by_reason: BTreeMap<String, u64>,
    synthetic_timestamps: u64,
    derived_timestamps: u64,
    out_of_order: u64,
    unaccounted_bytes: u64,
}

impl From<&Summary> for SummaryLine {
    fn from(s: &Summary) -> Self {
        let every = |counts: &BTreeMap<Disposition, u64>| {
            Disposition::ALL.iter().map(|d| (*d, counts.get(d).copied().unwrap_or(0))).collect()
        };
        Self {
            records: s.records,
            bytes: s.bytes,
            blocks: s.blocks,
            by_disposition: every(&s.by_disposition),
            blocks_by_disposition: every(&s.blocks_by_disposition),
            content_bytes_by_disposition: every(&s.content_bytes_by_disposition),
            by_reason: s.by_reason.clone(),
            synthetic_timestamps: s.synthetic_timestamps,
            derived_timestamps: s.derived_timestamps,
            out_of_order: s.out_of_order,
            unaccounted_bytes: s.unaccounted_bytes,
        }
    }
}

/// Another conversation that this one belongs to or comes from: the one that ran it, the one it was forked from,
/// the one it is a copy of. It need not be there.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkLine<'a> {
    relation: &'static str,
    id: &'a str,
    conversation_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
}

impl<'a> LinkLine<'a> {
    /// The lines of a conversation's links.
    fn all(source: &str, links: &'a [Link]) -> Vec<Self> {
        let line = |link: &'a Link| Self {
            relation: relation(link.relation),
            id: &link.conversation,
            conversation_id: identity::namespace(source, &link.conversation),
            tool_call_id: link.tool_call_id.as_deref(),
        };
        links.iter().map(line).collect()
    }
}

/// A conversation, as `assay preview --json` and `assay show --json` print it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConversationLine<'a> {
    /// The source's name.
    pub source: &'a str,
    /// The source's own id.
    pub id: &'a str,
    /// The portable id.
    pub conversation_id: String,
    /// `reference` or `extended`.
    pub coverage: &'a str,
    /// `name@n`.
    pub parser_version: &'a str,
    /// What the scan found.
    pub meta: MetaLine,
    /// Title.
    pub slug: Option<&'a str>,
    /// A name for people.
    pub project_name: &'a str,
    /// The working directory.
    pub cwd: Option<&'a str>,
    /// The branch.
    pub git_branch: Option<&'a str>,
    /// Conversations that it belongs to or comes from.
    pub links: Vec<LinkLine<'a>>,
    /// The earliest time.
    pub first_message_at: Option<Timestamp>,
    /// The latest time.
    pub last_message_at: Option<Timestamp>,
    /// Hex; `null` for what could not be read.
    pub content_hash: Option<String>,
    /// Hex; `null` for what could not be read.
    pub full_hash: Option<String>,
    /// How well it survives.
    pub verdict: Verdict,
    /// What an import would do; `null` for what comes from the library.
    pub plan: Option<&'a str>,
    /// Why, for what is left out or blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_reason: Option<&'a str>,
    /// What stood in the way, for what is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
    /// The timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub messages: Option<&'a [Message]>,
    /// The account.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ledger: Option<&'a [LedgerEntry]>,
    /// Remarks.
    pub notices: &'a [Notice],
    /// The account in numbers.
    pub summary: SummaryLine,
}

impl<'a> ConversationLine<'a> {
    /// The line of a conversation that was read.
    pub fn of(
        task: &'a Task,
        examined: &'a Examined,
        hashes: &Hashes,
        plan: Plan,
        options: LineOptions,
    ) -> ConversationLine<'a> {
        let Examined { conversation, ledger, summary, verdict } = examined;
        let c: &ParsedConversation = conversation;
        Self {
            slug: c.slug.as_deref(),
            project_name: &c.project_name,
            cwd: c.cwd.as_deref(),
            git_branch: c.git_branch.as_deref(),
            links: LinkLine::all(&c.source, &c.links),
            first_message_at: c.first_message_at,
            last_message_at: c.last_message_at,
            content_hash: Some(hex(&hashes.content)),
            full_hash: Some(hex(&hashes.full)),
            verdict: *verdict,
            messages: (!options.no_messages).then_some(&c.messages),
            ledger: (!options.no_ledger).then_some(&ledger.entries),
            notices: &ledger.notices,
            summary: SummaryLine::from(summary),
            ..Self::empty(task, plan, options)
        }
    }

    /// The line of one that could not.
    pub fn troubled(task: &'a Task, trouble: &'a Trouble, options: LineOptions) -> ConversationLine<'a> {
        Self { error: Some(&trouble.detail), ..Self::empty(task, Plan::from(trouble), options) }
    }

    /// The line of a conversation from the library. `messages` and `ledger` may have been left out.
    pub fn stored(
        stored: &'a Stored,
        messages: Option<&'a [Message]>,
        ledger: Option<&'a [LedgerEntry]>,
        notices: &'a [Notice],
    ) -> ConversationLine<'a> {
        let (listed, c) = (&stored.listed, &stored.conversation);
        Self {
            source: &listed.source,
            id: &listed.id,
            conversation_id: listed.conversation_id.clone(),
            coverage: coverage(stored.candidate.coverage),
            parser_version: &listed.parser_version,
            meta: MetaLine::of(&stored.candidate),
            slug: c.slug.as_deref(),
            project_name: &c.project_name,
            cwd: c.cwd.as_deref(),
            git_branch: c.git_branch.as_deref(),
            links: LinkLine::all(&c.source, &c.links),
            first_message_at: c.first_message_at,
            last_message_at: c.last_message_at,
            content_hash: Some(hex(&stored.content_hash)),
            full_hash: Some(hex(&stored.full_hash)),
            verdict: listed.verdict,
            plan: None,
            plan_reason: None,
            error: None,
            messages,
            ledger,
            notices,
            summary: SummaryLine::from(&stored.summary),
        }
    }

    fn empty(task: &'a Task, plan: Plan, options: LineOptions) -> ConversationLine<'a> {
        let candidate = &task.candidate;
        let manifest = task.adapter.manifest();
        Self {
            source: manifest.name,
            id: &candidate.id,
            conversation_id: identity::namespace(manifest.name, &candidate.id),
            coverage: coverage(candidate.coverage),
            parser_version: manifest.parser_version,
            meta: MetaLine::of(candidate),
            slug: None,
            project_name: "",
            cwd: None,
            git_branch: None,
            links: Vec::new(),
            first_message_at: None,
            last_message_at: None,
            content_hash: None,
            full_hash: None,
            verdict: Verdict::Blocked,
            plan: Some(plan.code()),
            plan_reason: plan.reason(),
            error: None,
            messages: (!options.no_messages).then_some(&[]),
            ledger: (!options.no_ledger).then_some(&[]),
            notices: &[],
            summary: SummaryLine::from(&Summary::default()),
        }
    }
}

/// A conversation of the library, as `assay list --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListLine<'a> {
    source: &'a str,
    id: &'a str,
    conversation_id: &'a str,
    title: &'a str,
    project_name: &'a str,
    cwd: Option<&'a str>,
    git_branch: Option<&'a str>,
    first_message_at: Option<Timestamp>,
    last_message_at: Option<Timestamp>,
    messages: u32,
    recovered: u32,
    verdict: Verdict,
    retention: &'static str,
    parser_version: &'a str,
    file_size: u64,
    gone_since: Option<Timestamp>,
    pinned_at: Option<Timestamp>,
    deleted_at: Option<Timestamp>,
    labels: &'a [String],
    links: Vec<LinkLine<'a>>,
    earlier: u32,
}

impl<'a> From<&'a Listed> for ListLine<'a> {
    fn from(l: &'a Listed) -> Self {
        Self {
            source: &l.source,
            id: &l.id,
            conversation_id: &l.conversation_id,
            title: &l.title,
            project_name: &l.project_name,
            cwd: l.cwd.as_deref(),
            git_branch: l.git_branch.as_deref(),
            first_message_at: l.first_message_at,
            last_message_at: l.last_message_at,
            messages: l.messages,
            recovered: l.recovered,
            verdict: l.verdict,
            retention: l.retention.code(),
            parser_version: &l.parser_version,
            file_size: l.file_size,
            gone_since: l.gone_since,
            pinned_at: l.pinned_at,
            deleted_at: l.deleted_at,
            labels: &l.labels,
            links: LinkLine::all(&l.source, &l.links),
            earlier: l.earlier,
        }
    }
}

/// Something that is wrong with the library or worth knowing, as `assay doctor --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingLine<'a> {
    code: &'a str,
    wrong: bool,
    count: u64,
    detail: &'a str,
}

impl<'a> From<&'a assay_library::Finding> for FindingLine<'a> {
    fn from(f: &'a assay_library::Finding) -> Self {
        Self { code: f.code, wrong: f.wrong, count: f.count, detail: &f.detail }
    }
}

/// What the library holds and takes, as `assay stats --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SizeLine {
    conversations: u64,
    deleted: u64,
    earlier: u64,
    messages: u64,
    unindexed: u64,
    file_bytes: u64,
    free_bytes: u64,
    message_bytes: u64,
    index_bytes: u64,
    ledger_bytes: u64,
    originals: OriginalsLine,
}

/// The same of originals.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OriginalsLine {
    conversations: u64,
    bytes: u64,
    stored_bytes: u64,
}

impl From<assay_library::Size> for SizeLine {
    fn from(size: assay_library::Size) -> Self {
        let o = size.originals;
        Self {
            conversations: size.conversations,
            deleted: size.deleted,
            earlier: size.earlier,
            messages: size.messages,
            unindexed: size.unindexed,
            file_bytes: size.file,
            free_bytes: size.free,
            message_bytes: size.message_bytes,
            index_bytes: size.index_bytes,
            ledger_bytes: size.ledger_bytes,
            originals: OriginalsLine { conversations: o.conversations, bytes: o.bytes, stored_bytes: o.stored },
        }
    }
}

/// A conversation of which nothing is kept, as `assay list --deleted --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PurgedLine<'a> {
    source: &'a str,
    id: &'a str,
    conversation_id: String,
    purged_at: Timestamp,
}

impl<'a> From<&'a assay_library::Purged> for PurgedLine<'a> {
    fn from(stone: &'a assay_library::Purged) -> Self {
        let assay_library::Purged { source, id, at } = stone;
        Self { source, id, conversation_id: assay_model::identity::namespace(source, id), purged_at: *at }
    }
}

/// A label, as `assay label --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LabelLine<'a> {
    label: &'a str,
    conversations: u64,
}

impl<'a> From<&'a crate::dto::Count> for LabelLine<'a> {
    fn from(count: &'a crate::dto::Count) -> Self {
        Self { label: &count.code, conversations: count.count }
    }
}

/// A message that answers a query, as `assay search --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HitLine<'a> {
    conversation_id: &'a str,
    message_index: u32,
    snippet: &'a str,
    score: f64,
}

impl<'a> From<&'a Hit> for HitLine<'a> {
    fn from(hit: &'a Hit) -> Self {
        Self {
            conversation_id: &hit.conversation_id,
            message_index: hit.message_index,
            snippet: &hit.snippet.text,
            score: hit.score,
        }
    }
}

/// What an import did with one conversation, as `assay import --json` prints it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutcomeLine<'a> {
    source: &'a str,
    id: &'a str,
    conversation_id: String,
    importer: &'a str,
    library: Option<&'a str>,
    reason: Option<&'a str>,
    verdict: Option<Verdict>,
}

impl<'a> From<&'a OutcomeRow> for OutcomeLine<'a> {
    fn from(row: &'a OutcomeRow) -> Self {
        Self {
            source: &row.source,
            id: &row.id,
            conversation_id: identity::namespace(&row.source, &row.id),
            importer: &row.importer,
            library: row.library.as_deref(),
            reason: row.reason.as_deref(),
            verdict: row.verdict,
        }
    }
}

/// The last line of `assay import --json`: the run by layer, and each source by layer.
#[derive(Debug, Serialize)]
pub struct ImportLine<'a> {
    summary: ImportSummary<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ImportSummary<'a> {
    run: i64,
    started_at: &'a str,
    ended_at: Option<&'a str>,
    cancelled: bool,
    failures: u64,
    parser: BTreeMap<&'a str, u64>,
    importer: BTreeMap<&'a str, u64>,
    library: BTreeMap<&'a str, u64>,
    sources: BTreeMap<&'a str, LayersLine<'a>>,
}

#[derive(Debug, Serialize)]
struct LayersLine<'a> {
    parser: BTreeMap<&'a str, u64>,
    importer: BTreeMap<&'a str, u64>,
    library: BTreeMap<&'a str, u64>,
}

impl<'a> From<&'a ImportResult> for ImportLine<'a> {
    fn from(result: &'a ImportResult) -> Self {
        fn sum<'a>(counts: impl Iterator<Item = &'a Count>) -> BTreeMap<&'a str, u64> {
            let mut sum = BTreeMap::new();
            for one in counts {
                *sum.entry(one.code.as_str()).or_default() += one.count;
            }
            sum
        }
        let sources = &result.sources;
        Self {
            summary: ImportSummary {
                run: result.run,
                started_at: &result.started_at,
                ended_at: result.ended_at.as_deref(),
                cancelled: result.cancelled,
                failures: result.failures,
                parser: sum(sources.iter().flat_map(|s| &s.parser)),
                importer: sum(sources.iter().flat_map(|s| &s.importer)),
                library: sum(sources.iter().flat_map(|s| &s.library)),
                sources: sources
                    .iter()
                    .map(|s| {
                        let layers = LayersLine {
                            parser: sum(s.parser.iter()),
                            importer: sum(s.importer.iter()),
                            library: sum(s.library.iter()),
                        };
                        (s.source.as_str(), layers)
                    })
                    .collect(),
            },
        }
    }
}
