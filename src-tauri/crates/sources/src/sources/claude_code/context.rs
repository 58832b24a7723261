//! What the records say about the conversation as a whole: session, folder, branch, version, title.
//!
//! Any of it may change on the way; the first folder and branch of a message stand, as the published rules
//! have it, and each other one is remarked. Deliberately absent: the project folder's name, which cannot be
//! decoded.

use super::line::Line;
use crate::Account;
use crate::account::base_name;
use crate::readers::json::Value;
use assay_model::{Candidate, Link, NoticeCode, Relation};
use std::collections::BTreeMap;

/// Major and minor version of the newest transcripts that this parser was written from.
const KNOWN_VERSION: (u32, u32) = (2, 1);

/// Where a title comes from, from the strongest to the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Title {
    /// Given by the person.
    Custom,
    /// Given by the model.
    Ai,
    /// A summary of the branch that ends in a record of this file; older versions wrote those of other
    /// files too.
    Summary,
    /// What a sub-agent was started for.
    Task,
    /// The nickname of a plan's file that the records carry: three words that say nothing, and other sessions may
    /// have the same.
    Slug,
}

/// What was said about the conversation so far.
#[derive(Default)]
pub(super) struct Context {
    titles: [Option<String>; 5],
    summaries: Vec<(String, String)>,
    sessions: BTreeMap<String, u64>,
    first_session: Option<String>,
    forked_from: BTreeMap<String, u64>,
    cwds: Vec<String>,
    branches: Vec<String>,
    versions: Vec<String>,
    /// Whether a record says that it was written in the background.
    pub background: bool,
    /// Whether the folder, and the branch, come from a message.
    stated: [bool; 2],
}

impl Context {
    /// Reads what a record says. `reference`: it is one of the published rules.
    pub fn read(&mut self, account: &mut Account, line: &Line<'_>, reference: bool) {
        let text = |key: &str| line.value.get(key).and_then(Value::non_empty);
        if let Some(session) = line.value.get_any(&["sessionId", "session_id"]).and_then(Value::non_empty) {
            if self.first_session.is_none() {
                self.first_session = Some(session.to_string());
            }
            // Bookkeeping may name another session; only what stands in the tree is mixed in.
            if reference || line.value.get("parentUuid").is_some() {
                match self.sessions.get_mut(&*session) {
                    Some(records) => *records += 1,
                    None => drop(self.sessions.insert(session.into_owned(), 1)),
                }
            }
        }
        self.background |= text("sessionKind").as_deref() == Some("bg");
        let [cwd_stated, branch_stated] = &mut self.stated;
        let places = [
            ("cwd", "", &mut account.cwd, cwd_stated, &mut self.cwds),
            ("gitBranch", "gitBranch ", &mut account.git_branch, branch_stated, &mut self.branches),
        ];
        let mut changed = Vec::new();
        for (key, label, current, stated, known) in places {
            let Some(value) = text(key) else { continue };
            if current.is_none() || (reference && !*stated) {
                *current = Some(value.to_string());
                *stated = reference;
            }
            if !known.iter().any(|k| **k == *value) {
                if !known.is_empty() {
                    changed.push(format!("{label}{value}"));
                }
                known.push(value.into_owned());
            }
        }
        for detail in changed {
            account.notice(NoticeCode::CwdChanged, detail, Some(line.locator.clone()));
        }
        if let Some(slug) = text("slug").filter(|_| reference && self.titles[Title::Slug as usize].is_none()) {
            self.titles[Title::Slug as usize] = Some(slug.into_owned());
        }
        if let Some(version) = text("version") {
            if account.tool_version.as_deref() != Some(&*version) {
                account.tool_version = Some(version.to_string());
            }
            if !self.versions.iter().any(|v| **v == *version) {
                if newer(&version) {
                    account.notice(NoticeCode::UnknownVersion, version.to_string(), Some(line.locator.clone()));
                }
                self.versions.push(version.into_owned());
            }
        }
        if let Some(from) = line.value.path(&["forkedFrom", "sessionId"]).and_then(Value::non_empty) {
            *self.forked_from.entry(from.into_owned()).or_default() += 1;
        }
    }

    /// A title; an empty one takes the earlier one back. A summary counts if `leaf` is a record here.
    pub fn title(&mut self, from: Title, title: Option<String>, leaf: Option<String>) {
        let title = title.filter(|t| !t.is_empty());
        match (from, title, leaf) {
            (Title::Summary, Some(title), Some(leaf)) => self.summaries.push((title, leaf)),
            (Title::Summary, ..) => {}
            (from, title, _) => self.titles[from as usize] = title,
        }
    }

    /// The session that the first record states.
    pub fn first_session(&self) -> Option<String> {
        self.first_session.clone()
    }

    /// Gives the account its title and name, and remarks what is mixed or copied.
    pub fn close(mut self, account: &mut Account, candidate: &Candidate, is_here: impl Fn(&str) -> bool) {
        if self.sessions.len() > 1 {
            let counts: Vec<_> = self.sessions.iter().map(|(id, n)| format!("{id} {n}")).collect();
            account.notice(NoticeCode::MixedSessions, counts.join(", "), None);
        }
        for (from, records) in self.forked_from {
            account.notice(NoticeCode::Replay, format!("{from} {records}"), None);
            account.links.push(Link { relation: Relation::Fork, conversation: from, tool_call_id: None });
        }
        let summary = self.summaries.into_iter().rev().find(|(_, leaf)| is_here(leaf));
        self.titles[Title::Summary as usize] = summary.map(|(title, _)| title);
        account.slug = self.titles.into_iter().flatten().next();
        match &account.cwd {
            Some(cwd) => account.project_name = base_name(cwd).to_owned(),
            None => account.notice(NoticeCode::PathUnresolved, candidate.project_dir.clone(), None),
        }
    }
}

/// Whether a version is of a line that this parser does not know.
fn newer(version: &str) -> bool {
    let mut parts = version.split('.').map(|p| p.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) > KNOWN_VERSION,
        _ => false,
    }
}
