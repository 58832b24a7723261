//! The writer. There is one per file at a time, in this process and in all others; hold it only as long
//! as there is something to write. Deliberately absent: reading for people, see [`crate::Reader`].

use crate::conversation::{self, Marked};
use crate::error::At;
use crate::incoming::{Bytes, Incoming, KnownOfSource, Outcome, Plan, Prepared};
use crate::search::index;
use crate::{Error, OutcomeRow, Reader, earlier, file, ledger, message, origin, original, run, standing};
use assay_model::Timestamp;
use assay_model::hash::Hash;
use rusqlite::Connection;
use std::collections::{BTreeSet, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};

/// A library that is open for writing.
#[derive(Debug)]
pub struct Library {
    db: Connection,
    path: PathBuf,
    /// Held open: that is the lock.
    _lock: File,
    /// Pieces of originals that a conversation no longer has. They go when the run ends: until then a
    /// conversation that was prepared earlier may count on them.
    loose: Vec<i64>,
    /// The places of conversations that are set aside, once that was asked; see [`origin`].
    aside: Option<HashSet<String>>,
}

impl Library {
    /// Opens a library, makes it if there is none, and brings one of an earlier version up (after a copy).
    ///
    /// # Errors
    /// [`Error::InUse`] while another writer has it; [`Error::Newer`] and [`Error::NotALibrary`] for files
    /// that are left exactly as they are.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (db, lock) = file::open_to_write(path)?;
        Ok(Self { db, path: path.to_owned(), _lock: lock, loose: Vec::new(), aside: None })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.db
    }

    /// Another connection, to read what is committed.
    pub fn reader(&self) -> Result<Reader, Error> {
        Reader::open(&self.path)?.ok_or_else(|| Error::NotALibrary { path: self.path.clone() })
    }

    /// What change detection needs of every conversation of a source.
    pub fn known(&self, source: &str) -> Result<KnownOfSource, Error> {
        conversation::known_of(&self.db, source).at(&self.path)
    }

    /// The hashes of all pieces of originals: what is among them need not be compressed again.
    pub fn pieces(&self) -> Result<HashSet<Hash>, Error> {
        original::kept(&self.db).at(&self.path)
    }

    /// The source's own ids of the conversations that a person deleted: imports leave them out.
    pub fn left_out(&self, source: &str) -> Result<HashSet<String>, Error> {
        standing::left_out(&self.db, source).at(&self.path)
    }

    /// Begins a group of writes that are committed together.
    pub fn group(&mut self) -> Result<Group<'_>, Error> {
        self.db.execute_batch("BEGIN IMMEDIATE").at(&self.path)?;
        Ok(Group { library: self, text: 0, conversations: 0 })
    }

    /// One write in a commit of its own.
    fn alone<T>(&mut self, write: impl FnOnce(&mut Group<'_>) -> Result<T, Error>) -> Result<T, Error> {
        let mut group = self.group()?;
        let done = write(&mut group)?;
        group.commit()?;
        Ok(done)
    }

    /// Stores one conversation in a commit of its own; see [`Group::store`].
    pub fn store(&mut self, incoming: &Incoming<'_>) -> Result<Outcome, Error> {
        let known = conversation::known(&self.db, &incoming.conversation.source, &incoming.conversation.id);
        let prepared = Prepared::new(known.at(&self.path)?.as_ref(), incoming);
        if prepared.plan() == Plan::Unchanged {
            return Ok(Outcome::Unchanged);
        }
        self.alone(|group| group.store(incoming, &prepared)).map(|done| done.outcome)
    }

    /// See [`Group::mark`].
    pub fn mark(&mut self, source: &str, present: &HashSet<&str>, at: Timestamp) -> Result<Marked, Error> {
        self.alone(|group| group.mark(source, present, at))
    }

    /// Begins an import run and returns its number. What a run before it left lying, because it was killed, goes.
    pub fn begin_run(&mut self, at: Timestamp) -> Result<i64, Error> {
        self.alone(|group| {
            let begun = || {
                if run::was_killed(group.db())? {
                    original::sweep(group.db(), &original::loose(group.db())?)?;
                }
                run::begin(group.db(), at)
            };
            begun().at(group.path())
        })
    }

    /// Records what a run did with one conversation; see [`Group::record`].
    pub fn record(&mut self, run: i64, outcome: &OutcomeRow) -> Result<(), Error> {
        self.alone(|group| group.record(run, outcome))
    }

    /// Ends a run. A run that is never ended was killed.
    pub fn finish_run(
        &mut self,
        run: i64,
        at: Timestamp,
        cancelled: bool,
        result: &serde_json::Value,
    ) -> Result<(), Error> {
        self.alone(|group| {
            let loose = std::mem::take(&mut group.library.loose);
            original::sweep(group.db(), &loose).at(group.path())?;
            run::finish(group.db(), run, at, cancelled, result).at(group.path())
        })
    }

    /// Puts messages that are not indexed yet into the text index, those of the latest conversations first,
    /// and commits them: as many as make a good commit, or fewer if `go_on`, which hears the bytes of each
    /// message, wants no more. Returns whether any are left. After a kill those of earlier calls stay.
    pub fn index(&mut self, go_on: &mut dyn FnMut(u64) -> bool) -> Result<bool, Error> {
        self.alone(|group| index::index(group.db(), go_on).at(group.path()))
    }

    /// Brings the log back into the file after a large import. Not needed for correctness.
    pub fn settle(&mut self) -> Result<(), Error> {
        self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).at(&self.path)
    }
}

/// Writes that are committed together. Dropped without [`Group::commit`], none of them happened.
#[derive(Debug)]
pub struct Group<'a> {
    library: &'a mut Library,
    text: u64,
    conversations: u32,
}

/// What became of a conversation that was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// What the library did with it.
    pub outcome: Outcome,
    /// Whether the state that it replaced said more, and is kept behind it.
    pub earlier_kept: bool,
}

/// How much message text a group should hold before it is committed: enough to make the commit itself
/// cheap, little enough to lose and to keep in memory.
const FULL: u64 = 32 << 20;

/// The same as a number of conversations: a kill, or a full disk, costs no more than these.
const MOST: u32 = 32;

impl Group<'_> {
    fn db(&self) -> &Connection {
        &self.library.db
    }

    fn path(&self) -> &Path {
        &self.library.path
    }

    /// After a full disk SQLite takes the whole transaction back by itself. What was stored before in this
    /// group is not there then, and nothing may follow as if it were.
    fn still_open(&self) -> Result<(), Error> {
        match self.db().is_autocommit() {
            true => Err(Error::Io { path: self.path().to_owned(), detail: "the group was taken back".to_owned() }),
            false => Ok(()),
        }
    }

    /// Stores one conversation: all of it or, after an error, nothing of it; the rest of the group stays.
    /// If the library knows something else by now than `prepared` was made for, that is made again.
    /// What a person deleted stays as it is, and what the source took back is kept as an earlier state.
    pub fn store(&mut self, incoming: &Incoming<'_>, prepared: &Prepared) -> Result<Done, Error> {
        self.still_open()?;
        let (db, path) = (&self.library.db, &self.library.path);
        let (source, id) = (&incoming.conversation.source, &incoming.conversation.id);
        if standing::is_left_out(db, source, id).at(path)? {
            let known = conversation::known(db, source, id).at(path)?;
            let other = known.map_or(Ok(false), |known| origin::is_other(db, &known, incoming)).at(path)?;
            if !other {
                return Ok(Done { outcome: Outcome::Unchanged, earlier_kept: false });
            }
        }
        let aside = match &mut self.library.aside {
            Some(aside) => aside,
            none => none.insert(origin::all_aside(db).at(path)?),
        };
        db.execute_batch("SAVEPOINT conversation").at(path)?;
        let written = place(db, aside, incoming, prepared).at(path);
        // After a full disk there may be no transaction left to go back in; the first error is the one to tell.
        let ended = db
            .execute_batch(if written.is_ok() {
                "RELEASE conversation"
            } else {
                "ROLLBACK TO conversation; RELEASE conversation"
            })
            .at(path);
        let (done, loose) = written?;
        ended?;
        self.library.loose.extend(loose);
        self.conversations += 1;
        if done.outcome != Outcome::Unchanged {
            self.text += incoming.conversation.messages.iter().map(|m| m.content.len() as u64).sum::<u64>();
        }
        Ok(done)
    }

    /// Marks the conversations of a source that are not `present` as gone since `at`, and takes the mark
    /// from those that are back. Only for a scan that was complete and met no error.
    pub fn mark(&mut self, source: &str, present: &HashSet<&str>, at: Timestamp) -> Result<Marked, Error> {
        self.still_open()?;
        conversation::mark(self.db(), source, present, at).at(self.path())
    }

    /// Records what a run did with one conversation.
    pub fn record(&mut self, run: i64, outcome: &OutcomeRow) -> Result<(), Error> {
        self.still_open()?;
        run::record(self.db(), run, outcome).at(self.path())
    }

    /// Pins a conversation (since `at`), or no longer. Imports leave that as it is.
    pub fn set_pin(&mut self, key: i64, at: Option<Timestamp>) -> Result<(), Error> {
        self.still_open()?;
        standing::pin(self.db(), key, at).at(self.path())
    }

    /// Gives and takes labels; see [`crate::label`] for what is one. Imports leave them as they are.
    pub fn relabel(&mut self, key: i64, add: &BTreeSet<String>, remove: &BTreeSet<String>) -> Result<(), Error> {
        self.still_open()?;
        standing::relabel(self.db(), key, add, remove).at(self.path())
    }

    /// Makes a conversation's labels exactly these.
    pub fn set_labels(&mut self, key: i64, labels: &BTreeSet<String>) -> Result<(), Error> {
        self.still_open()?;
        standing::set_labels(self.db(), key, labels).at(self.path())
    }

    /// Hides a conversation (since `at`), or shows it again. Hidden ones stay out of imports as they are.
    pub fn set_deleted(&mut self, key: i64, at: Option<Timestamp>) -> Result<(), Error> {
        self.still_open()?;
        standing::delete(self.db(), key, at).at(self.path())
    }

    /// Takes a conversation out for good, with its earlier states. Imports leave it out until [`Group::let_in`].
    /// Its bytes are overwritten; [`Library::settle`] does it in the file and empties the log, which has them too.
    pub fn purge(&mut self, key: i64, at: Timestamp) -> Result<(), Error> {
        self.still_open()?;
        let db = self.db();
        let taken_out = || {
            // Otherwise the pages are only said to be free.
            db.query_row("PRAGMA secure_delete = ON", [], |_| Ok(()))?;
            for earlier in earlier::of(db, key)? {
                original::sweep(db, &original::forget(db, earlier)?)?;
                standing::remove(db, earlier)?;
            }
            original::sweep(db, &original::forget(db, key)?)?;
            standing::purge(db, key, at)
        };
        taken_out().at(self.path())
    }

    /// Lets a purged conversation in again, with the next import that finds it. Whether it was kept out.
    pub fn let_in(&mut self, source: &str, id: &str) -> Result<bool, Error> {
        self.still_open()?;
        standing::let_in(self.db(), source, id).at(self.path())
    }

    /// Whether it holds enough to be committed.
    pub fn is_full(&self) -> bool {
        self.text >= FULL || self.conversations >= MOST
    }

    /// Makes all of it permanent at once.
    pub fn commit(self) -> Result<(), Error> {
        self.still_open()?;
        // If this fails, dropping the group takes everything back.
        self.db().execute_batch("COMMIT").at(self.path())
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if !self.db().is_autocommit() {
            let _nothing_to_do_about_it = self.db().execute_batch("ROLLBACK");
        }
    }
}

/// Finds the conversation that this is, makes room for it where it is another one or says less, and writes it.
/// Returns what was done, and the pieces of originals that are no longer needed.
fn place(
    db: &Connection,
    aside: &mut HashSet<String>,
    incoming: &Incoming<'_>,
    prepared: &Prepared,
) -> rusqlite::Result<(Done, Vec<i64>)> {
    let (source, id) = (&incoming.conversation.source, &incoming.conversation.id);
    let mut known = conversation::known(db, source, id)?;
    if let Some(other) = &known
        && origin::is_other(db, other, incoming)?
    {
        origin::set_aside(db, source, id, other, incoming.read_at / 1_000_000)?;
        aside.insert(other.file_path.clone());
        known = None;
    }
    if known.is_none() && aside.contains(&*incoming.candidate.file_path.to_string_lossy()) {
        origin::find_again(db, incoming)?;
        known = conversation::known(db, source, id)?;
    }
    let again;
    let prepared = if prepared.is_for(known.as_ref()) {
        prepared
    } else {
        again = Prepared::new(known.as_ref(), incoming);
        &again
    };
    let outcome = prepared.plan.outcome();
    match known {
        _ if prepared.plan == Plan::Unchanged => Ok((Done { outcome, earlier_kept: false }, Vec::new())),
        Some(before) if prepared.plan == Plan::Changed && earlier::says_more(db, &before, incoming)? => {
            earlier::step_back(db, &before, incoming)?;
            let (key, loose) = write(db, incoming, &Prepared::new(None, incoming))?;
            earlier::follow(db, before.key, key)?;
            Ok((Done { outcome, earlier_kept: true }, loose))
        }
        _ => Ok((Done { outcome, earlier_kept: false }, write(db, incoming, prepared)?.1)),
    }
}

/// Writes what is different, and nothing else. Returns its key, and the pieces of its original that it no longer has.
fn write(db: &Connection, incoming: &Incoming<'_>, prepared: &Prepared) -> rusqlite::Result<(i64, Vec<i64>)> {
    let key = conversation::write(db, incoming, prepared)?;
    if prepared.plan == Plan::Changed {
        index::forget(db, key)?;
    }
    message::write(db, key, incoming.conversation, &prepared.files, prepared.head)?;
    index::note(db, key, prepared.head, incoming.conversation.messages.len() as u32)?;
    ledger::write(db, key, &prepared.chunks, &incoming.ledger.notices, incoming.summary)?;
    let loose = match incoming.original {
        Bytes::Kept(bytes) => original::write(db, key, bytes)?,
        Bytes::OfTheLibrary => Vec::new(),
        Bytes::NotKept => original::forget(db, key)?,
    };
    Ok((key, loose))
}
