//! What a preview leaves in memory: a light row for each conversation and the numbers of each source.
//!
//! Deliberately absent: texts (the inspector reads them again) and the library.

use crate::dto::{
    AcceptanceSummary, ConversationRow, Count, Crossed, Fate, Page, RetentionChoice, RowQuery, Strata, UnknownKind,
};
use crate::examine::{Examined, Trouble};
use crate::pipeline::Task;
use crate::plan::Plan;
use assay_model::{
    Candidate, Coverage, Disposition, NoticeCode, Reason, Relation, Retention, Summary, Verdict, identity,
};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Rows of a page, at most.
const PAGE: u32 = 500;

/// What one retention makes of a conversation.
#[derive(Debug, Clone)]
pub struct Side {
    messages: u32,
    recovered: u32,
    dropped: u32,
    unknown: u32,
    synthetic: u32,
    verdict: Verdict,
    strata: Strata,
    reasons: Box<[Reason]>,
    notices: Box<[NoticeCode]>,
    derived: bool,
    out_of_order: bool,
    unknown_kinds: Box<[String]>,
    numbers: Option<Box<Tally>>,
}

/// What is added to a source's numbers and then let go.
#[derive(Debug, Clone, Default)]
struct Tally {
    summary: Summary,
    crossed: BTreeMap<(Reason, Disposition), u64>,
    losses: BTreeSet<&'static str>,
    notices: BTreeMap<NoticeCode, u64>,
    tool_version: Option<String>,
}

impl Side {
    fn blocked() -> Self {
        Self {
            messages: 0,
            recovered: 0,
            dropped: 0,
            unknown: 0,
            synthetic: 0,
            verdict: Verdict::Blocked,
            strata: Strata::default(),
            reasons: Box::new([]),
            notices: Box::new([]),
            derived: false,
            out_of_order: false,
            unknown_kinds: Box::new([]),
            numbers: None,
        }
    }

    pub(crate) fn of(examined: &Examined) -> Self {
        let Examined { conversation, ledger, summary, verdict } = examined;
        let recovered = conversation.messages.iter().filter(|m| !m.is_reference()).count();
        let mut losses = BTreeSet::new();
        let mut crossed = BTreeMap::new();
        for (_, entry) in ledger.leaves() {
            let Some(reason) = entry.reason else { continue };
            *crossed.entry((reason, entry.disposition)).or_default() += 1;
            if is_lost(reason, entry.disposition) {
                losses.insert(reason.code());
            }
        }
        let mut notices = BTreeMap::new();
        for notice in &ledger.notices {
            *notices.entry(notice.code).or_default() += 1;
        }
        losses.extend(notices.keys().filter(|n| n.is_loss()).map(|n| n.code()));
        let unknown: u64 = summary.unknown_kinds.values().sum();
        if unknown > 0 {
            losses.insert(Reason::UnknownKind.code());
        }
        Self {
            messages: (conversation.messages.len() - recovered) as u32,
            recovered: recovered as u32,
            dropped: summary.lost.saturating_sub(unknown) as u32,
            unknown: unknown as u32,
            synthetic: summary.synthetic_timestamps as u32,
            verdict: *verdict,
            strata: Strata::of(&summary.content_bytes_by_disposition),
            reasons: summary.by_reason.keys().filter_map(|code| code.parse().ok()).collect(),
            notices: notices.keys().copied().collect(),
            derived: summary.derived_timestamps > 0,
            out_of_order: summary.out_of_order > 0,
            unknown_kinds: summary.unknown_kinds.keys().cloned().collect(),
            numbers: Some(Box::new(Tally {
                summary: summary.clone(),
                crossed,
                losses,
                notices,
                tool_version: conversation.tool_version.clone(),
            })),
        }
    }
}

/// Whether an entry is something that a person could miss and that is nowhere.
fn is_lost(reason: Reason, disposition: Disposition) -> bool {
    match disposition {
        Disposition::Dropped => reason.is_loss(),
        Disposition::Unknown => true,
        Disposition::Kept | Disposition::Recovered | Disposition::Folded | Disposition::Pending => false,
    }
}

impl Side {
    /// Whether it has to do with a code: a boundary, a remark, or what is said of its times.
    fn concerns(&self, code: &str) -> bool {
        self.reasons.iter().any(|r| r.code() == code)
            || self.notices.iter().any(|n| n.code() == code)
            || match code {
                "synthetic-timestamp" => self.synthetic > 0,
                "derived-timestamp" => self.derived,
                "out-of-order" => self.out_of_order,
                _ => false,
            }
    }

    /// The row with what this retention says.
    pub(crate) fn fill(&self, row: ConversationRow) -> ConversationRow {
        ConversationRow {
            messages: self.messages,
            recovered: self.recovered,
            dropped: self.dropped,
            unknown: self.unknown,
            synthetic: self.synthetic,
            verdict: self.verdict.code().to_owned(),
            strata: self.strata,
            ..row
        }
    }
}

/// A conversation as a preview remembers it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// What the scan found.
    pub candidate: Candidate,
    /// What an import would do under the retention that the person chose.
    pub plan: Plan,
    /// Bytes of the store that it owns.
    pub bytes: u64,
    key: String,
    title: String,
    project: String,
    cwd: Option<String>,
    git_branch: Option<String>,
    first_at: Option<String>,
    last_at: Option<String>,
    relation: Option<&'static str>,
    sides: [Side; 2],
}

/// The place of a retention among the sides.
fn side(retention: Retention) -> usize {
    match retention {
        Retention::Reference => 0,
        Retention::Full => 1,
    }
}

impl Seen {
    /// What could be read. `plan` is asked under the retention of the task.
    pub fn of(task: &Task, full: Examined, plan: impl FnOnce(&Examined) -> Plan) -> Self {
        let c = &full.conversation;
        let mut seen = Self {
            candidate: task.candidate.clone(),
            plan: Plan::New,
            bytes: full.summary.bytes,
            key: task.key(),
            title: assay_library::title(c),
            project: c.project_name.clone(),
            cwd: c.cwd.clone(),
            git_branch: c.git_branch.clone(),
            first_at: c.first_message_at.map(|t| t.to_string()),
            last_at: c.last_message_at.map(|t| t.to_string()),
            relation: c.links.first().map(|l| relation(l.relation)),
            sides: [Side::blocked(), Side::of(&full)],
        };
        let reference = match task.retention {
            Retention::Full => {
                seen.plan = plan(&full);
                full.under(Retention::Reference)
            }
            Retention::Reference => {
                let reference = full.under(Retention::Reference);
                seen.plan = plan(&reference);
                reference
            }
        };
        seen.sides[side(Retention::Reference)] = Side::of(&reference);
        seen
    }

    /// What could not.
    pub fn troubled(task: &Task, trouble: &Trouble) -> Self {
        Self {
            candidate: task.candidate.clone(),
            plan: Plan::from(trouble),
            bytes: task.bytes,
            key: task.key(),
            title: String::new(),
            project: task.candidate.project_dir.clone(),
            cwd: None,
            git_branch: None,
            first_at: None,
            last_at: None,
            relation: None,
            sides: [Side::blocked(), Side::blocked()],
        }
    }

    /// Its row in the table.
    pub fn row(&self, retention: Retention) -> ConversationRow {
        self.sides[side(retention)].fill(ConversationRow {
            key: self.key.clone(),
            source: self.candidate.source.clone(),
            id: self.candidate.id.clone(),
            title: self.title.clone(),
            project: self.project.clone(),
            cwd: self.cwd.clone(),
            git_branch: self.git_branch.clone(),
            first_at: self.first_at.clone(),
            last_at: self.last_at.clone(),
            coverage: coverage(self.candidate.coverage).to_owned(),
            relation: self.relation.map(str::to_owned),
            plan: self.plan.code().to_owned(),
            plan_reason: self.plan.reason().map(str::to_owned),
            bytes: self.bytes,
            ..ConversationRow::default()
        })
    }

    fn matches(&self, query: &RowQuery, retention: Retention) -> bool {
        let s = &self.sides[side(retention)];
        let wanted = |want: &Option<String>, have: &str| want.as_deref().is_none_or(|w| w == have);
        wanted(&query.verdict, s.verdict.code())
            && wanted(&query.plan, self.plan.code())
            && query.reason.as_deref().is_none_or(|code| s.concerns(code))
            && query.unknown_kind.as_ref().is_none_or(|w| s.unknown_kinds.contains(w))
            && (query.text.is_empty() || {
                let text = query.text.to_lowercase();
                [&self.title, &self.project, &self.candidate.id].iter().any(|t| t.to_lowercase().contains(&text))
            })
    }

    fn compare(&self, other: &Self, sort: &str, retention: Retention) -> Ordering {
        let (a, b) = (&self.sides[side(retention)], &other.sides[side(retention)]);
        match sort {
            "title" => self.title.to_lowercase().cmp(&other.title.to_lowercase()),
            "project" => self.project.to_lowercase().cmp(&other.project.to_lowercase()),
            "messages" => (a.messages + a.recovered).cmp(&(b.messages + b.recovered)),
            "dropped" => a.dropped.cmp(&b.dropped),
            "unknown" => a.unknown.cmp(&b.unknown),
            "synthetic" => a.synthetic.cmp(&b.synthetic),
            "verdict" => a.verdict.cmp(&b.verdict),
            "plan" => self.plan.code().cmp(other.plan.code()),
            "bytes" => self.bytes.cmp(&other.bytes),
            _ => self.last_at.cmp(&other.last_at),
        }
    }
}

/// The kebab-case code of a coverage.
pub fn coverage(coverage: Coverage) -> &'static str {
    match coverage {
        Coverage::Reference => "reference",
        Coverage::Extended => "extended",
    }
}

/// The kebab-case code of a relation.
pub fn relation(relation: Relation) -> &'static str {
    match relation {
        Relation::SubAgent => "sub-agent",
        Relation::Fork => "fork",
        Relation::Copy => "copy",
        Relation::Earlier => "earlier-state",
    }
}

/// The numbers of one source under one retention, as they grow.
#[derive(Debug, Clone, Default)]
struct Totals {
    summary: Summary,
    verdicts: BTreeMap<Verdict, u64>,
    crossed: BTreeMap<(Reason, Disposition), u64>,
    losses: BTreeMap<&'static str, u64>,
    unknown: BTreeMap<String, (u64, BTreeSet<String>)>,
    notices: BTreeMap<NoticeCode, u64>,
}

impl Totals {
    fn add(&mut self, side: &mut Side) {
        *self.verdicts.entry(side.verdict).or_default() += 1;
        let Some(numbers) = side.numbers.take() else { return };
        self.summary.add(&numbers.summary);
        for (what, n) in numbers.crossed {
            *self.crossed.entry(what).or_default() += n;
        }
        for code in numbers.losses {
            *self.losses.entry(code).or_default() += 1;
        }
        for (code, n) in numbers.notices {
            *self.notices.entry(code).or_default() += n;
        }
        for (kind, n) in numbers.summary.unknown_kinds {
            let known = self.unknown.entry(kind).or_default();
            known.0 += n;
            known.1.extend(numbers.tool_version.clone());
        }
    }
}

impl Totals {
    /// What became of everything that crossed a boundary, and what is missing without having been there; most first.
    fn crossed(&self) -> Vec<Crossed> {
        let entries = self.crossed.iter().map(|((reason, disposition), n)| Crossed {
            code: reason.code().to_owned(),
            disposition: Fate::from(*disposition),
            loss: is_lost(*reason, *disposition),
            count: *n,
        });
        let missing = self.notices.iter().filter(|(code, _)| code.is_loss()).map(|(code, n)| Crossed {
            code: code.code().to_owned(),
            disposition: Fate::Dropped,
            loss: true,
            count: *n,
        });
        let mut all: Vec<Crossed> = entries.chain(missing).collect();
        all.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.code.cmp(&b.code)));
        all
    }
}

/// The preview of one source.
#[derive(Debug, Clone)]
pub struct SourcePreview {
    source: &'static str,
    made_at: String,
    rows: Vec<Seen>,
    totals: [Totals; 2],
}

impl SourcePreview {
    /// An empty one, made at `made_at`.
    pub fn new(source: &'static str, made_at: String) -> Self {
        Self { source, made_at, rows: Vec::new(), totals: Default::default() }
    }

    /// Takes the next conversation.
    pub fn push(&mut self, mut seen: Seen) {
        for (totals, side) in self.totals.iter_mut().zip(&mut seen.sides) {
            totals.add(side);
        }
        self.rows.push(seen);
    }

    /// Plans again after an import: there is nothing left to do for what the library has now.
    pub fn imported(&mut self, ids: &HashSet<&str>) {
        for seen in self.rows.iter_mut().filter(|seen| ids.contains(seen.candidate.id.as_str())) {
            seen.plan = Plan::Unchanged;
        }
    }

    /// Every conversation, by id.
    pub fn rows(&self) -> &[Seen] {
        &self.rows
    }

    /// The conversation of that key.
    pub fn get(&self, key: &str) -> Option<&Seen> {
        self.rows.iter().find(|seen| seen.key == key)
    }

    /// Content bytes by disposition.
    pub fn strata(&self, retention: Retention) -> Strata {
        Strata::of(&self.totals[side(retention)].summary.content_bytes_by_disposition)
    }

    /// How many conversations have a verdict.
    pub fn verdicts(&self, retention: Retention, verdict: Verdict) -> u64 {
        self.totals[side(retention)].verdicts.get(&verdict).copied().unwrap_or(0)
    }

    /// Conversations that an import would write and that lose something.
    pub fn losing(&self, retention: Retention) -> u64 {
        let writes = |plan: &Plan| matches!(plan, Plan::New | Plan::Grown | Plan::Changed);
        let losing =
            self.rows.iter().filter(|s| writes(&s.plan) && s.sides[side(retention)].verdict == Verdict::Degraded);
        losing.count() as u64
    }

    /// How often a boundary was crossed.
    pub fn crossed(&self, reason: Reason) -> u64 {
        self.totals[1].summary.by_reason.get(reason.code()).copied().unwrap_or(0)
    }

    /// Kinds that the parser does not know, in all.
    pub fn unknown_entries(&self) -> u64 {
        self.totals[1].unknown.values().map(|(n, _)| n).sum()
    }

    /// Portable ids that more than one conversation has.
    pub fn collisions(&self) -> u64 {
        identity::collisions(self.source, self.rows.iter().map(|seen| seen.candidate.id.as_str())).len() as u64
    }

    /// Plans with how many conversations have each.
    pub fn plans(&self) -> BTreeMap<(&'static str, Option<&'static str>), u64> {
        let mut plans = BTreeMap::new();
        for seen in &self.rows {
            *plans.entry((seen.plan.code(), seen.plan.reason())).or_default() += 1;
        }
        plans
    }

    /// The preview in numbers.
    pub fn summary(&self, retention: Retention) -> AcceptanceSummary {
        let t = &self.totals[side(retention)];
        let mut plan: BTreeMap<&str, u64> = BTreeMap::new();
        for seen in &self.rows {
            *plan.entry(seen.plan.code()).or_default() += 1;
        }
        AcceptanceSummary {
            source: self.source.to_owned(),
            previewed_at: self.made_at.clone(),
            conversations: self.rows.len() as u64,
            verdicts: t.verdicts.iter().map(|(v, n)| count(v.code(), *n)).collect(),
            records: t.summary.records,
            bytes: t.summary.bytes,
            strata: self.strata(retention),
            by_reason: most_first(t.summary.by_reason.iter().map(|(r, n)| count(r, *n))),
            crossed: t.crossed(),
            losses: most_first(t.losses.iter().map(|(code, n)| count(code, *n))),
            synthetic: t.summary.synthetic_timestamps,
            derived: t.summary.derived_timestamps,
            out_of_order: t.summary.out_of_order,
            unaccounted_bytes: t.summary.unaccounted_bytes,
            unknown_kinds: t
                .unknown
                .iter()
                .map(|(kind, (count, versions))| UnknownKind {
                    kind: kind.clone(),
                    count: *count,
                    versions: versions.iter().cloned().collect(),
                })
                .collect(),
            notices: most_first(t.notices.iter().map(|(c, n)| count(c.code(), *n))),
            plan: most_first(plan.iter().map(|(p, n)| count(p, *n))),
        }
    }

    /// A page of the conversation table.
    pub fn page(&self, retention: Retention, query: &RowQuery) -> Page<ConversationRow> {
        let mut rows: Vec<&Seen> = self.rows.iter().filter(|seen| seen.matches(query, retention)).collect();
        rows.sort_by(|a, b| {
            let order = a.compare(b, &query.sort, retention);
            if query.descending { order.reverse() } else { order }
        });
        Page {
            total: rows.len() as u32,
            offset: query.offset,
            rows: rows
                .iter()
                .skip(query.offset as usize)
                .take(query.limit.min(PAGE) as usize)
                .map(|seen| seen.row(retention))
                .collect(),
        }
    }
}

/// A count.
pub fn count(code: &str, count: u64) -> Count {
    Count { code: code.to_owned(), count }
}

/// The most frequent first; equals by code.
pub fn most_first(counts: impl Iterator<Item = Count>) -> Vec<Count> {
    let mut counts: Vec<Count> = counts.collect();
    counts.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.code.cmp(&b.code)));
    counts
}

impl From<RetentionChoice> for Retention {
    fn from(choice: RetentionChoice) -> Self {
        match choice {
            RetentionChoice::Reference => Retention::Reference,
            RetentionChoice::Full => Retention::Full,
        }
    }
}

impl From<Retention> for RetentionChoice {
    fn from(retention: Retention) -> Self {
        match retention {
            Retention::Reference => RetentionChoice::Reference,
            Retention::Full => RetentionChoice::Full,
        }
    }
}
