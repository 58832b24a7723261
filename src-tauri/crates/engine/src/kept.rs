//! The library as a window shows it: lists by pages, search as one types, what leaves it.
//!
//! Deliberately absent: opening one conversation, see `opened`; the lines of the command line, see `shelf`.

use crate::dto::{
    Count, ExportForm, ExportResult, Fault, HourCount, LibraryFacets, LibraryHistory, LibraryQuery, LibraryRow, Page,
    SearchHit, SearchPage,
};
use crate::engine::{Engine, fault};
use crate::opened::kept_key;
use crate::preview::relation;
use crate::standing::number;
use assay_library::export::Format;
use assay_library::{Filter, Hit, InterruptHandle, Listed, Reader, SearchFilter, Sort};
use assay_model::{MessageType, Reason, Timestamp};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Rows of a page, at most.
const PAGE: u32 = 500;
/// Projects that can be chosen from.
const PROJECTS: usize = 500;

/// The searches that run. A new question calls off those of an older one; pages of one question do not.
#[derive(Default)]
pub(crate) struct Searches(Mutex<Vec<(LibraryQuery, InterruptHandle)>>);

/// A search while it runs.
struct Running<'a> {
    searches: &'a Searches,
    question: LibraryQuery,
}

impl Searches {
    fn begin(&self, query: &LibraryQuery, reader: &Reader) -> Running<'_> {
        let question = LibraryQuery { offset: 0, limit: 0, ..query.clone() };
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.iter().filter(|(asked, _)| *asked != question).for_each(|(_, handle)| handle.interrupt());
        running.push((question.clone(), reader.interrupter()));
        Running { searches: self, question }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut running = self.searches.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Which of two equal ones goes does not matter: a later question calls off both.
        if let Some(at) = running.iter().position(|(asked, _)| *asked == self.question) {
            running.swap_remove(at);
        }
    }
}

impl Engine {
    /// A page of the library's conversations. None if there is no library yet.
    pub fn kept(&self, query: &LibraryQuery) -> Result<Page<LibraryRow>, Fault> {
        let Some(reader) = self.look_inside()? else {
            return Ok(Page { total: 0, offset: query.offset, rows: Vec::new() });
        };
        let sort = match query.sort.as_str() {
            "title" => Sort::Title,
            "project" => Sort::Project,
            "messages" => Sort::Messages,
            "dropped" => Sort::Lost,
            "bytes" => Sort::Bytes,
            _ => Sort::Time,
        };
        let filter = filter(query)?;
        let page = reader.list(&filter, sort, query.descending, query.offset, query.limit.min(PAGE))?;
        let rows = page.rows.into_iter().map(|listed| library_row(&listed)).collect();
        Ok(Page { total: page.total, offset: query.offset, rows })
    }

    /// What the library's list can be narrowed to.
    pub fn facets(&self) -> Result<LibraryFacets, Fault> {
        let Some(reader) = self.look_inside()? else { return Ok(LibraryFacets::default()) };
        let count = |(code, count): (String, u64)| Count { code, count };
        let projects = reader.projects(&Filter::default())?.into_iter().filter(|(name, _)| !name.is_empty());
        Ok(LibraryFacets {
            sources: reader.counts()?.into_iter().map(count).collect(),
            projects: projects.take(PROJECTS).map(count).collect(),
            labels: self.labels()?,
            deleted: u32::try_from(reader.deleted()?).unwrap_or(u32::MAX),
            unindexed: reader.unindexed()?,
        })
    }

    /// The library over time: when messages were written, and when something was lost.
    pub fn kept_history(&self) -> Result<LibraryHistory, Fault> {
        let Some(reader) = self.look_inside()? else { return Ok(LibraryHistory::default()) };
        let count = |(code, hour, count): (String, i64, u64)| HourCount { code, hour, count };
        let missed = |code: &str| code.parse().is_ok_and(|reason: Reason| reason.is_loss());
        Ok(LibraryHistory {
            activity: reader.activity()?.into_iter().map(count).collect(),
            losses: reader.reasons_over_time()?.into_iter().filter(|l| missed(&l.0)).map(count).collect(),
        })
    }

    /// A page of the messages that answer a query. A later query calls off an earlier one, which then fails
    /// with `interrupted`.
    pub fn search_kept(&self, query: &LibraryQuery) -> Result<SearchPage, Fault> {
        let mut page = SearchPage { total: 0, offset: query.offset, rows: Vec::new(), unindexed: 0 };
        let Some(reader) = self.look_inside()? else { return Ok(page) };
        let filter = SearchFilter {
            conversations: Filter { text: String::new(), tools: false, code: false, ..filter(query)? },
            conversation: None,
            from: query.role.as_deref().map(role).transpose()?,
            tools: query.tools,
            code: query.code,
            ..SearchFilter::default()
        };
        let running = self.searches.begin(query, &reader);
        // Counted before: what is indexed meanwhile is found and counted, never neither.
        page.unindexed = reader.unindexed()?;
        let found = reader.search(&query.text, &filter, query.offset, query.limit.min(PAGE))?;
        drop(running);
        page.total = found.total;
        page.rows = found.rows.into_iter().map(hit).collect();
        Ok(page)
    }

    /// The forms in which conversations can leave the library.
    pub fn export_forms(&self) -> Vec<ExportForm> {
        let form = |format: Format| ExportForm {
            format: format.code().to_owned(),
            ending: format.extension().to_owned(),
            leaves_out: format.leaves_out().iter().map(|code| (*code).to_owned()).collect(),
            masks: format.masks_by_default(),
        };
        Format::ALL.into_iter().map(form).collect()
    }

    /// Writes conversations of the library to `file`, which must not be inside a store.
    pub fn export_kept(&self, keys: &[String], format: Format, mask: bool, file: &Path) -> Result<ExportResult, Fault> {
        self.may_write(file)?;
        let reader = self.reader()?;
        let numbers = keys.iter().map(|key| number(&reader, key)).collect::<Result<Vec<_>, _>>()?;
        let exported = self.export_numbers(&numbers, format, Some(mask))?;
        self.write_out(file, &exported.text)?;
        Ok(ExportResult {
            file: file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            conversations: (keys.len() - exported.refused.len()) as u32,
            masked: exported.masked,
            refused: exported.refused,
        })
    }
}

/// A conversation of the library as a row.
pub(crate) fn library_row(listed: &Listed) -> LibraryRow {
    LibraryRow {
        key: kept_key(&listed.source, &listed.id),
        source: listed.source.clone(),
        id: listed.id.clone(),
        title: listed.title.clone(),
        project: listed.project_name.clone(),
        cwd: listed.cwd.clone(),
        git_branch: listed.git_branch.clone(),
        first_at: listed.first_message_at.map(|t| t.to_string()),
        last_at: listed.last_message_at.map(|t| t.to_string()),
        messages: listed.messages,
        recovered: listed.recovered,
        dropped: listed.lost.saturating_sub(listed.unknown),
        unknown: listed.unknown,
        synthetic: listed.synthetic,
        verdict: listed.verdict.code().to_owned(),
        bytes: listed.file_size,
        retention: listed.retention.into(),
        gone_since: listed.gone_since.map(|t| t.to_string()),
        pinned: listed.pinned_at.is_some(),
        labels: listed.labels.clone(),
        deleted_at: listed.deleted_at.map(|t| t.to_string()),
        earlier: listed.earlier,
        copies: listed.copies,
        relation: listed.links.first().map(|l| relation(l.relation).to_owned()),
    }
}

fn filter(query: &LibraryQuery) -> Result<Filter, Fault> {
    let time = |text: &Option<String>| {
        text.as_deref().map(|text| Timestamp::parse(text).ok_or_else(|| fault("bad-time", text))).transpose()
    };
    Ok(Filter {
        text: query.text.clone(),
        sources: query.source.iter().cloned().collect(),
        project: query.project.clone(),
        from: time(&query.from)?,
        before: time(&query.before)?,
        lossy: query.lossy,
        synthetic: query.synthetic,
        tools: query.tools,
        code: query.code,
        gone: query.gone.then_some(true),
        pinned: query.pinned,
        label: query.label.clone(),
        deleted: query.deleted,
        earlier: query.earlier,
        once: !query.copies,
        ..Filter::default()
    })
}

fn role(code: &str) -> Result<MessageType, Fault> {
    let all = [MessageType::User, MessageType::Assistant, MessageType::System];
    all.into_iter().find(|role| role.code() == code).ok_or_else(|| fault("unknown-role", code))
}

fn hit(hit: Hit) -> SearchHit {
    let text = hit.snippet.text;
    // The page counts in UTF-16, as its strings do.
    let place = |bytes: usize| text.get(..bytes).map_or(0, |before| before.encode_utf16().count() as u32);
    SearchHit {
        key: kept_key(&hit.source, &hit.id),
        source: hit.source,
        title: hit.title,
        project: hit.project_name,
        message: hit.message_index,
        from: hit.message_type.code().to_owned(),
        kind: hit.kind.code().to_owned(),
        at: hit.at.map(|t| t.to_string()),
        origin: hit.timestamp_origin,
        reason: hit.reason.map(|r| r.code().to_owned()),
        in_thinking: hit.in_thinking,
        gone_since: hit.gone_since.map(|t| t.to_string()),
        marks: hit.snippet.marks.iter().map(|mark| [place(mark.start), place(mark.end)]).collect(),
        text,
    }
}
