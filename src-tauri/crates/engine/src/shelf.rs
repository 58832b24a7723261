//! What the library holds: lists, single conversations, runs. Deliberately absent: writing.

use crate::dto::{Fault, ImportPlan, ImportResult, OutcomeQuery, OutcomeRow, Page, PlanWarning, Progress, SourcePlan};
use crate::engine::{Engine, fault};
use crate::job::{Listener, Meter};
use crate::lines::{ConversationLine, LineOptions};
use crate::opened::kept_key;
use crate::outside;
use crate::pipeline::key;
use crate::preview::{SourcePreview, count, most_first};
use assay_library::export::Format;
use assay_library::{Filter, Hit, Library, Listed, Reader, Run, SearchFilter, Size, Sort};
use assay_model::Message;
use assay_sources::State;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// A document, and what is to be said about it.
pub struct Exported {
    /// The text.
    pub text: String,
    /// How many secrets were masked.
    pub masked: u64,
    /// Secrets that stand in it as they are, by kind; only counted where nobody said whether to mask.
    pub unmasked: BTreeMap<&'static str, u64>,
    /// Conversations that are not in it.
    pub refused: Vec<Fault>,
}

/// What a search found.
pub struct Found {
    /// Messages, best first.
    pub hits: Vec<Hit>,
    /// How many messages of the library it could not find, because they are not indexed yet.
    pub unindexed: u64,
}

/// Runs that a history shows.
const RUNS: u32 = 100;

/// A library, to read; none if there is none yet. One of an earlier version is brought up first (after a copy).
pub(crate) fn look_inside(path: &Path) -> Result<Option<Reader>, assay_library::Error> {
    match Reader::open(path) {
        Err(assay_library::Error::Older { .. }) => {
            // A window asks for several things at once; one of them brings it up, and the others wait.
            static ONE: Mutex<()> = Mutex::new(());
            let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
            match Reader::open(path) {
                Err(assay_library::Error::Older { .. }) => Ok(Some(Library::open(path)?.reader()?)),
                looked => looked,
            }
        }
        looked => looked,
    }
}

impl Engine {
    /// The library, to read; see [`look_inside`].
    pub(crate) fn look_inside(&self) -> Result<Option<Reader>, Fault> {
        Ok(look_inside(&self.options.library)?)
    }

    /// The library, to read.
    pub(crate) fn reader(&self) -> Result<Reader, Fault> {
        self.look_inside()?.ok_or_else(|| fault("no-library", self.options.library.to_string_lossy()))
    }

    /// How much there is in the library, and what it takes.
    pub fn size(&self) -> Result<Size, Fault> {
        Ok(self.reader()?.size()?)
    }

    /// Conversations of the library by source and id, of `sources` (all if empty) and as `filter` says.
    pub fn list(&self, sources: &[String], filter: &Filter) -> Result<Vec<Listed>, Fault> {
        self.chosen(sources, true)?;
        let reader = self.reader()?;
        let filter = Filter { sources: sources.to_vec(), ..filter.clone() };
        let mut rows = reader.list(&filter, Sort::Id, false, 0, u32::MAX)?.rows;
        let place = |s: &str| self.options.registry.iter().position(|a| a.manifest().name == s);
        rows.sort_by(|a, b| (place(&a.source), &a.id).cmp(&(place(&b.source), &b.id)));
        Ok(rows)
    }

    /// The conversation of the library that goes by `id`: a portable id, a source's own, or the source and its
    /// own with a stroke between. Not a deleted one. A portable id that two share names neither.
    pub fn find(&self, id: &str) -> Result<Listed, Fault> {
        let mut found = going_by(&self.reader()?, id)?;
        if found.iter().all(|f| f.deleted_at.is_some()) && !found.is_empty() {
            return Err(fault("deleted", id));
        }
        found.retain(|f| f.deleted_at.is_none());
        let names: Vec<String> = found.iter().map(|l| key(&l.source, &l.id)).collect();
        match (found.pop(), found.is_empty()) {
            (Some(one), true) => Ok(one),
            (Some(_), false) => Err(ambiguous(id, &names)),
            (None, _) => Err(fault("no-such-conversation", id)),
        }
    }

    /// The states of a conversation from which its source took something back, latest first.
    pub fn earlier(&self, of: &Listed) -> Result<Vec<Listed>, Fault> {
        Ok(if of.earlier == 0 { Vec::new() } else { self.reader()?.earlier(of.key)? })
    }

    /// What is behind a conversation of the library, each with what it is: earlier states, copies.
    pub(crate) fn others(&self, of: &Listed) -> Result<Vec<(&'static str, Listed)>, Fault> {
        let mut others: Vec<_> = self.earlier(of)?.into_iter().map(|l| ("has-earlier-state", l)).collect();
        if of.copies > 0 {
            others.extend(self.reader()?.copies(of)?.into_iter().map(|l| ("has-copy", l)));
        }
        Ok(others)
    }

    /// Portable ids that more than one conversation of the library has.
    pub fn shared_ids(&self) -> Result<BTreeSet<String>, Fault> {
        Ok(self.reader()?.collisions()?.into_keys().collect())
    }

    /// Writes one conversation of the library as a line.
    pub fn show_line(&self, of: &Listed, options: LineOptions, out: &mut dyn std::io::Write) -> Result<(), Fault> {
        let reader = self.reader()?;
        let stored = reader.show(of.key)?.ok_or_else(|| fault("no-such-conversation", of.id.clone()))?;
        let messages = (!options.no_messages).then(|| reader.messages(&stored, 0..u32::MAX)).transpose()?;
        let entries = (!options.no_ledger).then(|| reader.entries(&stored, 0..u32::MAX)).transpose()?;
        let notices = reader.notices(&stored)?;
        let line = ConversationLine::stored(&stored, messages.as_deref(), entries.as_deref(), &notices);
        serde_json::to_writer(&mut *out, &line).map_err(|e| fault("not-written", e.to_string()))?;
        out.write_all(b"\n").map_err(|e| fault("not-written", e.to_string()))
    }

    /// Messages that answer `query`, as far as they are indexed; see [`Engine::index`].
    pub fn search(&self, sources: &[String], query: &str, filter: &SearchFilter, limit: u32) -> Result<Found, Fault> {
        self.chosen(sources, true)?;
        let reader = self.reader()?;
        // Counted before: what is indexed meanwhile is found and counted, never neither.
        let unindexed = reader.unindexed()?;
        let conversations = Filter { sources: sources.to_vec(), ..filter.conversations.clone() };
        let filter = SearchFilter { conversations, ..filter.clone() };
        Ok(Found { hits: reader.search(query, &filter, 0, limit)?.rows, unindexed })
    }

    /// Hands the messages of a conversation to `visit`, page by page, as long as it wants more.
    pub fn show_messages(&self, of: &Listed, visit: &mut dyn FnMut(&Message) -> bool) -> Result<(), Fault> {
        const PAGE: u32 = 200;
        let reader = self.reader()?;
        let stored = reader.show(of.key)?.ok_or_else(|| fault("no-such-conversation", of.id.clone()))?;
        for start in (0..of.messages).step_by(PAGE as usize) {
            for message in reader.messages(&stored, start..start + PAGE)? {
                if !visit(&message) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Conversations of the library as one document. Secrets that can be told by their look are masked where
    /// `mask` says so, or where it leaves that to the format.
    pub fn export(&self, ids: &[String], format: Format, mask: Option<bool>) -> Result<Exported, Fault> {
        let numbers: Result<Vec<_>, _> = ids.iter().map(|id| self.find(id).map(|listed| listed.key)).collect();
        self.export_numbers(&numbers?, format, mask)
    }

    /// The same by the library's keys.
    pub(crate) fn export_numbers(&self, of: &[i64], format: Format, mask: Option<bool>) -> Result<Exported, Fault> {
        let reader = self.reader()?;
        let (mut documents, mut unmasked) = (Vec::new(), BTreeMap::new());
        for number in of {
            let document = reader.document(*number)?;
            let mut document = document.ok_or_else(|| fault("no-such-conversation", number.to_string()))?;
            if mask.unwrap_or(format.masks_by_default()) {
                document.mask();
            } else if mask.is_none() {
                let mut told = document.clone();
                told.mask();
                for (kind, n) in told.masked {
                    *unmasked.entry(kind).or_default() += n;
                }
            }
            documents.push(document);
        }
        let sources: Vec<&str> = self.options.registry.iter().map(|a| a.manifest().name).collect();
        let exported = assay_library::export::export(format, &documents, &sources);
        let refusal = |r: assay_library::export::Refusal| {
            let mut fault = fault(r.reason.code(), r.detail);
            fault.params.insert("source".to_owned(), r.source);
            fault.params.insert("id".to_owned(), r.id);
            fault
        };
        let masked = documents.iter().flat_map(|d| d.masked.values()).sum();
        let refused = exported.refused.into_iter().map(refusal).collect();
        Ok(Exported { text: exported.text, masked, unmasked, refused })
    }

    /// What is in the library and not in those tables.
    pub fn tables_leave_out(&self) -> String {
        assay_library::export::TABLES_LEAVE_OUT.join(", ")
    }

    /// Writes conversations (all if `ids` is empty) of `sources` as tables below a new folder. Secrets that can
    /// be told by their look are masked if `mask` says so. Returns conversations, files and masked secrets.
    pub fn export_tables(
        &self,
        ids: &[String],
        sources: &[String],
        folder: &Path,
        mask: bool,
        listener: Listener<'_>,
    ) -> Result<(u64, u64, u64), Fault> {
        self.may_write(folder)?;
        let written = |e: std::io::Error| fault("not-written", format!("{}: {e}", folder.display()));
        if folder.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(fault("not-empty", self.short(folder)));
        }
        let all = match ids.is_empty() {
            true => self.list(sources, &Filter::default())?,
            false => ids.iter().map(|id| self.find(id)).collect::<Result<_, _>>()?,
        };
        let reader = self.reader()?;
        let meter = Meter::new(listener);
        meter.begin("export", all.len() as u64, all.iter().map(|l| l.file_size).sum());
        let was_there = folder.exists();
        let write = || -> Result<(u64, u64), Fault> {
            let (mut tables, mut masked) = (assay_library::export::Tables::new(folder), 0);
            for listed in &all {
                if let Some(mut document) = reader.document(listed.key)? {
                    if mask {
                        document.mask();
                    }
                    masked += document.masked.values().sum::<u64>();
                    tables.add(&document).map_err(written)?;
                }
                meter.step("export", listed.file_size);
            }
            Ok((tables.finish().map_err(written)?, masked))
        };
        let (files, masked) = write().inspect_err(|_| outside::empty(folder, was_there))?;
        meter.tell(Progress::Finished { cancelled: false });
        Ok((all.len() as u64, files, masked))
    }

    /// Runs, latest first. None if there is no library yet.
    pub fn history(&self) -> Result<Vec<ImportResult>, Fault> {
        let Some(reader) = self.look_inside()? else { return Ok(Vec::new()) };
        Ok(reader.runs(RUNS)?.into_iter().map(result).collect())
    }

    /// The conversations of a run.
    pub fn outcomes(&self, query: &OutcomeQuery) -> Result<Page<OutcomeRow>, Fault> {
        let page = self.reader()?.outcomes(&assay_library::OutcomeQuery {
            run: query.run,
            source: query.source.clone(),
            importer: query.importer.clone(),
            library: query.library.clone(),
            reason: query.reason.clone(),
            offset: query.offset,
            limit: query.limit.min(500),
        })?;
        let row = |o: assay_library::OutcomeRow| OutcomeRow {
            key: key(&o.source, &o.id),
            kept: o.library.as_ref().map(|_| kept_key(&o.source, &o.id)),
            source: o.source,
            id: o.id,
            title: o.title,
            importer: o.importer,
            library: o.library,
            detail: o.reason,
            verdict: o.verdict.map(|v| v.code().to_owned()),
        };
        Ok(Page { total: page.total, offset: query.offset, rows: page.rows.into_iter().map(row).collect() })
    }

    /// What an import would do, from the last preview of each source.
    pub fn plan(&self) -> ImportPlan {
        let mut plan = ImportPlan { sources: Vec::new(), warnings: Vec::new() };
        for adapter in self.options.registry.iter() {
            let source = adapter.manifest().name;
            let preview = self.previewed(source);
            let enabled = self.is_enabled(source);
            plan.sources.push(source_plan(source, enabled, preview.as_deref()));
            let mut warn = |code: &str, count: u64| {
                if enabled && count > 0 {
                    plan.warnings.push(PlanWarning { code: code.to_owned(), source: source.to_owned(), count });
                }
            };
            let state = self.found_state(source);
            let retention = self.retention(source, None);
            warn("losses", preview.as_ref().map_or(0, |p| p.losing(retention)));
            warn("encrypted-store", u64::from(state == Some(State::Encrypted)));
            warn("no-permission", u64::from(state == Some(State::NoPermission)));
            warn("source-failed", u64::from(matches!(state, Some(State::Failed | State::Locked))));
            warn("unknown-kinds", preview.as_ref().map_or(0, |p| p.unknown_entries()));
            warn(
                "same-id",
                preview.as_ref().map_or(0, |p| p.plans().get(&("blocked", Some("same-id"))).copied().unwrap_or(0)),
            );
            warn("id-collision", preview.as_ref().map_or(0, |p| p.collisions()));
            warn("deleted-soon", self.deleted_soon(source).unwrap_or(0));
        }
        plan.warnings.sort_by_key(|w| w.code != "losses");
        plan
    }
}

/// The conversations that go by `id`, deleted ones too. Of a portable id that several share, all of them.
pub(crate) fn going_by(reader: &Reader, id: &str) -> Result<Vec<Listed>, Fault> {
    let shared = reader.by_portable_id(id)?;
    if shared.len() > 1 {
        return Ok(shared);
    }
    let found = reader.find(id)?;
    match id.split_once('/').filter(|_| found.is_empty()) {
        Some((source, own)) => Ok(reader.find_in(source, own)?.into_iter().collect()),
        None => Ok(found),
    }
}

/// Several conversations go by one id; `names` are those that each of them alone goes by.
pub(crate) fn ambiguous(id: &str, names: &[String]) -> Fault {
    let mut fault = fault("ambiguous-id", id);
    fault.params.insert("names".to_owned(), names.join(", "));
    fault
}

fn source_plan(source: &str, enabled: bool, preview: Option<&SourcePreview>) -> SourcePlan {
    let mut parts: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
    let mut bytes = 0;
    for seen in preview.iter().flat_map(|p| p.rows()) {
        let (part, code) = match seen.plan.code() {
            part @ ("skipped" | "blocked") => (part, seen.plan.reason().unwrap_or_default()),
            action => {
                bytes += seen.bytes;
                ("action", action)
            }
        };
        *parts.entry(part).or_default().entry(code).or_default() += 1;
    }
    let counts = |part: &str| most_first(parts.get(part).into_iter().flatten().map(|(code, n)| count(code, *n)));
    SourcePlan {
        source: source.to_owned(),
        enabled,
        previewed: preview.is_some(),
        actions: counts("action"),
        skipped: counts("skipped"),
        blocked: counts("blocked"),
        bytes,
    }
}

/// A run as its own words tell it; of one that was killed only that it began is known.
fn result(run: Run) -> ImportResult {
    let told = run.result.and_then(|json| serde_json::from_value(json).ok());
    told.unwrap_or_else(|| ImportResult {
        run: run.run,
        started_at: run.started_at.to_string(),
        ended_at: run.ended_at.map(|t| t.to_string()),
        cancelled: run.cancelled,
        sources: Vec::new(),
        failures: 0,
    })
}
