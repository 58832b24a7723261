//! What a person says of conversations in the library: pinned, labelled, deleted, restored.
//!
//! Conversations are named `source/id`, with the mark of the library or without. All of a call is done or nothing of
//! it. Deliberately absent: what imports make of it; they ask the library.

use crate::dto::{Count, Fault};
use crate::engine::{Engine, fault};
use crate::opened::kept;
use crate::pipeline::key;
use crate::shelf::{ambiguous, going_by};
use assay_library::{Group, Library, Listed, Purged, Reader};
use assay_model::identity::namespace;
use std::collections::BTreeSet;

impl Engine {
    /// Pins conversations, or no longer.
    pub fn set_pin(&self, keys: &[String], pinned: bool) -> Result<(), Fault> {
        let at = pinned.then(|| self.now());
        self.change(false, |group, reader| {
            for key in keys {
                group.set_pin(number(reader, key)?, at)?;
            }
            Ok(())
        })
    }

    /// Gives and takes labels. Labels of which only letter case differs are one.
    pub fn relabel(&self, keys: &[String], add: &[String], remove: &[String]) -> Result<(), Fault> {
        let (add, remove) = (labels(add)?, labels(remove)?);
        self.change(false, |group, reader| {
            for key in keys {
                group.relabel(number(reader, key)?, &add, &remove)?;
            }
            Ok(())
        })
    }

    /// Makes the labels of a conversation exactly these.
    pub fn set_labels(&self, key: &str, to: &[String]) -> Result<(), Fault> {
        let to = labels(to)?;
        self.change(false, |group, reader| Ok(group.set_labels(number(reader, key)?, &to)?))
    }

    /// Every label and how many conversations bear it, by name. None if there is no library yet.
    pub fn labels(&self) -> Result<Vec<Count>, Fault> {
        let Some(reader) = self.look_inside()? else { return Ok(Vec::new()) };
        let count = |l: assay_library::Labelled| Count { code: l.label, count: u64::from(l.conversations) };
        Ok(reader.labels()?.into_iter().map(count).collect())
    }

    /// Deletes conversations: they are seen nowhere, imports leave them out, and [`Engine::restore`] brings
    /// them back as they were. Nothing of the tool's own store is touched.
    pub fn delete(&self, keys: &[String]) -> Result<(), Fault> {
        let at = self.now();
        self.change(false, |group, reader| {
            for key in keys {
                group.set_deleted(number(reader, key)?, Some(at))?;
            }
            Ok(())
        })
    }

    /// Takes back [`Engine::delete`]. What was purged comes back with the next import that finds it.
    pub fn restore(&self, keys: &[String]) -> Result<(), Fault> {
        self.change(false, |group, reader| {
            for key in keys {
                match number(reader, key) {
                    Ok(number) => group.set_deleted(number, None)?,
                    Err(unknown) => {
                        let (source, id) = kept(key).unwrap_or_default();
                        if !group.let_in(source, id)? {
                            return Err(unknown);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    /// Takes conversations out of the library for good, deleted before or not. Imports go on to leave them
    /// out until they are restored.
    pub fn purge(&self, keys: &[String]) -> Result<(), Fault> {
        let at = self.now();
        self.change(true, |group, reader| {
            for key in keys {
                group.purge(number(reader, key)?, at)?;
            }
            Ok(())
        })
    }

    /// The keys of conversations that go by `ids`: portable ids, a source's own, or keys. Deleted ones too.
    pub fn keys(&self, ids: &[String]) -> Result<Vec<String>, Fault> {
        let (reader, stones) = (self.reader()?, self.purged()?);
        let one = |id: &String| {
            let mut found: Vec<String> = going_by(&reader, id)?.iter().map(|l| key(&l.source, &l.id)).collect();
            if found.is_empty() {
                let stone = |p: &&Purged| [&p.id, &namespace(&p.source, &p.id), &key(&p.source, &p.id)].contains(&id);
                found.extend(stones.iter().filter(stone).map(|p| key(&p.source, &p.id)));
            }
            let names = found.clone();
            match (found.pop(), found.is_empty()) {
                (Some(one), true) => Ok(one),
                (Some(_), false) => Err(ambiguous(id, &names)),
                (None, _) => Err(fault("no-such-conversation", id)),
            }
        };
        ids.iter().map(one).collect()
    }

    /// The conversations of these keys that are in the library, deleted or not.
    pub fn named(&self, keys: &[String]) -> Result<Vec<Listed>, Fault> {
        let reader = self.reader()?;
        let one = |key: &String| match key.split_once('/') {
            Some((source, id)) => reader.find_in(source, id).transpose(),
            None => None,
        };
        Ok(keys.iter().filter_map(one).collect::<Result<_, _>>()?)
    }

    /// Conversations of which nothing is kept any more, latest first.
    pub fn purged(&self) -> Result<Vec<Purged>, Fault> {
        let Some(reader) = self.look_inside()? else { return Ok(Vec::new()) };
        Ok(reader.purged()?)
    }

    /// Writes to the library at once, while indexing waits; with `settle` also where the log is emptied.
    fn change(
        &self,
        settle: bool,
        write: impl FnOnce(&mut Group<'_>, &Reader) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        // A library is only made by an import.
        let reader = self.reader()?;
        self.indexing.give_way();
        let written = || {
            let mut library = Library::open(self.library())?;
            let mut group = library.group()?;
            write(&mut group, &reader)?;
            group.commit()?;
            if settle {
                library.settle()?;
            }
            Ok(())
        };
        let done = written();
        self.indexing.may_run();
        done
    }
}

/// The library's number of a conversation.
pub(crate) fn number(reader: &Reader, key: &str) -> Result<i64, Fault> {
    let found = match kept(key) {
        Some((source, id)) => reader.find_in(source, id)?,
        None => None,
    };
    found.map(|listed| listed.key).ok_or_else(|| fault("no-such-conversation", key))
}

fn labels(texts: &[String]) -> Result<BTreeSet<String>, Fault> {
    let label = |text: &String| assay_library::label(text).ok_or_else(|| fault("not-a-label", text.clone()));
    texts.iter().map(label).collect()
}
