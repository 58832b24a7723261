//! Conversations that are open: read again from their store after a preview, or from the library. A few stay
//! open, so that pages of one timeline do not read it again.
//!
//! Deliberately absent: what is shown of one.

use crate::dto::{ConversationRow, Fault};
use crate::engine::{Engine, fault};
use crate::examine::{Examined, Hashes, collect, examine, examine_evidence};
use crate::pipeline::key as key_of;
use crate::preview::{Seen, Side, coverage, relation};
use crate::reparse;
use crate::standing::number;
use crate::timeline::Timeline;
use assay_library::{Listed, Stored};
use assay_model::{Candidate, Relation, Retention};
use assay_sources::Evidence;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Conversations that stay open.
const OPEN: usize = 4;

/// One retention's view of an open conversation.
pub(crate) struct View {
    pub(crate) shown: Arc<Examined>,
    pub(crate) timeline: Timeline,
    hashes: OnceLock<Hashes>,
}

impl View {
    /// The hashes of what is shown.
    pub(crate) fn hashes(&self) -> &Hashes {
        self.hashes.get_or_init(|| Hashes::of(&self.shown.conversation))
    }
}

/// What a conversation was opened from.
enum Origin {
    Preview(Box<Seen>),
    Library(Box<Stored>),
}

/// A conversation that is open.
pub(crate) struct Open {
    key: String,
    origin: Origin,
    pub(crate) full: Arc<Examined>,
    views: [OnceLock<View>; 2],
}

impl Open {
    fn new(key: &str, origin: Origin, full: Examined) -> Self {
        Self { key: key.to_owned(), origin, full: Arc::new(full), views: [OnceLock::new(), OnceLock::new()] }
    }

    pub(crate) fn view(&self, retention: Retention) -> &View {
        let slot = match retention {
            Retention::Reference => 0,
            Retention::Full => 1,
        };
        self.views[slot].get_or_init(|| {
            let shown = match retention {
                Retention::Full => self.full.clone(),
                Retention::Reference => Arc::new(Examined::clone(&self.full).under(retention)),
            };
            let timeline = Timeline::new(&self.full, &shown);
            View { shown, timeline, hashes: OnceLock::new() }
        })
    }

    fn candidate(&self) -> &Candidate {
        match &self.origin {
            Origin::Preview(seen) => &seen.candidate,
            Origin::Library(stored) => &stored.candidate,
        }
    }

    /// What the library says of it.
    pub(crate) fn kept(&self) -> Option<&Listed> {
        match &self.origin {
            Origin::Preview(_) => None,
            Origin::Library(stored) => Some(&stored.listed),
        }
    }

    /// Its row in a table.
    pub(crate) fn row(&self, retention: Retention) -> ConversationRow {
        match &self.origin {
            Origin::Preview(seen) => seen.row(retention),
            Origin::Library(stored) => kept_row(&self.key, stored, &self.view(retention).shown),
        }
    }
}

/// The row of a conversation of the library, of which an import would find nothing new.
fn kept_row(key: &str, stored: &Stored, shown: &Examined) -> ConversationRow {
    let listed = &stored.listed;
    Side::of(shown).fill(ConversationRow {
        key: key.to_owned(),
        source: listed.source.clone(),
        id: listed.id.clone(),
        title: listed.title.clone(),
        project: listed.project_name.clone(),
        cwd: listed.cwd.clone(),
        git_branch: listed.git_branch.clone(),
        first_at: listed.first_message_at.map(|t| t.to_string()),
        last_at: listed.last_message_at.map(|t| t.to_string()),
        coverage: coverage(stored.candidate.coverage).to_owned(),
        relation: shown.conversation.links.first().map(|l| relation(l.relation).to_owned()),
        plan: "unchanged".to_owned(),
        bytes: listed.file_size,
        ..ConversationRow::default()
    })
}

/// Where a conversation is opened, once for everybody who asks at the same time.
type Slot = Arc<Mutex<Option<Arc<Open>>>>;

/// The conversations that were opened last, the latest at the end.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<Vec<(String, Slot)>>);

impl Shelf {
    /// Forgets all of them, because what they were opened from may have changed.
    pub(crate) fn clear(&self) {
        locked(&self.0).clear();
    }

    fn slot(&self, key: &str) -> Slot {
        let mut shelf = locked(&self.0);
        if let Some((_, slot)) = shelf.iter().find(|(of, _)| of == key) {
            return slot.clone();
        }
        let slot = Slot::default();
        shelf.push((key.to_owned(), slot.clone()));
        if shelf.len() > OPEN {
            shelf.remove(0);
        }
        slot
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How a key names a conversation of the library and not of a preview. No source's name begins like this.
const KEPT: char = '@';

/// The key of a conversation of the library.
pub(crate) fn kept_key(source: &str, id: &str) -> String {
    format!("{KEPT}{}", key_of(source, id))
}

/// Source and own id of a conversation of the library; the mark may be left out where nothing else is meant.
pub(crate) fn kept(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(KEPT).unwrap_or(key).split_once('/')
}

impl Engine {
    /// A conversation of the last preview or of the library, by its key.
    pub(crate) fn opened(&self, key: &str) -> Result<Arc<Open>, Fault> {
        let slot = self.open.slot(key);
        let mut slot = locked(&slot);
        if let Some(open) = &*slot {
            return Ok(open.clone());
        }
        let open = Arc::new(match key.starts_with(KEPT) {
            true => self.open_kept(key)?,
            false => self.open_previewed(key)?,
        });
        *slot = Some(open.clone());
        Ok(open)
    }

    fn open_previewed(&self, key: &str) -> Result<Open, Fault> {
        let source = key.split_once('/').map_or("", |(source, _)| source);
        let adapter = self.options.registry.get(source).ok_or_else(|| fault("unknown-source", source))?;
        let preview = self.previewed(source).ok_or_else(|| fault("not-previewed", source))?;
        let seen = preview.get(key).ok_or_else(|| fault("no-such-conversation", key))?.clone();
        let full = examine(adapter, &self.roots(), &seen.candidate).map_err(|t| fault(t.code, t.detail))?;
        Ok(Open::new(key, Origin::Preview(Box::new(seen)), full))
    }

    fn open_kept(&self, key: &str) -> Result<Open, Fault> {
        let reader = self.reader()?;
        let number = number(&reader, key)?;
        let stored = reader.show(number)?.ok_or_else(|| fault("no-such-conversation", key))?;
        let full = Examined {
            conversation: reader.conversation(&stored)?,
            ledger: reader.ledger(&stored)?,
            summary: stored.summary.clone(),
            verdict: stored.listed.verdict,
        };
        Ok(Open::new(key, Origin::Library(Box::new(stored)), full))
    }

    /// The key of another conversation of the same source, which is empty where there is none.
    pub(crate) fn linked(&self, open: &Open, id: &str) -> String {
        let source = &open.candidate().source;
        match &open.origin {
            Origin::Preview(_) => key_of(source, id),
            Origin::Library(_) => {
                let found = self.reader().ok().and_then(|reader| reader.find_in(source, id).ok().flatten());
                found.map(|listed| kept_key(&listed.source, &listed.id)).unwrap_or_default()
            }
        }
    }

    /// The command that goes on with a conversation in its tool: of a whole session that the tool still has,
    /// and only for an id that a shell takes as one plain word.
    pub(crate) fn resume(&self, open: &Open) -> Option<String> {
        let candidate = open.candidate();
        let command = self.options.registry.get(&candidate.source)?.manifest().resume_command?;
        let part = open.full.conversation.links.iter().any(|l| l.relation == Relation::SubAgent);
        let gone = open.kept().is_some_and(|listed| listed.gone_since.is_some());
        let plain = candidate.id.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c));
        (plain && !part && !gone && !candidate.id.starts_with('-')).then(|| command.replace("{id}", &candidate.id))
    }

    /// What a conversation stands in, read again to show one entry of its account: of one in the library the bytes
    /// that were kept of it, or else its store, as long as that still says the same there.
    pub(crate) fn evidence(&self, open: &Open, entry: u32) -> Result<Evidence, Fault> {
        let candidate = open.candidate();
        let source = candidate.source.as_str();
        let adapter = self.options.registry.get(source).ok_or_else(|| fault("unknown-source", source))?;
        let roots = self.roots();
        let kept = matches!(open.origin, Origin::Library(_));
        if kept && let Ok(original) = reparse::evidence(self.library(), &roots.scratch, candidate) {
            return Ok(original);
        }
        let evidence = collect(adapter, &roots, candidate).map_err(|t| fault(t.code, t.detail))?;
        if kept {
            let now = examine_evidence(adapter, candidate, &evidence).map_err(|t| fault(t.code, t.detail))?;
            let place = |examined: &Examined| {
                let entry = examined.ledger.entries.get(entry as usize)?;
                Some((entry.locator.clone(), entry.kind.clone(), entry.bytes))
            };
            if place(&now) != place(&open.full) {
                return Err(fault("source-changed", candidate.file_path.to_string_lossy()));
            }
        }
        Ok(evidence)
    }
}
