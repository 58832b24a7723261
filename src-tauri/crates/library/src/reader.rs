//! Reading a library: lists, one conversation, runs. Any number of readers may be open beside the writer;
//! each sees what is committed. Deliberately absent: writing, and words for people.

use crate::conversation::{self, LISTED, LISTED_FROM, Listed, Stored, listed};
use crate::error::At;
use crate::filter::{Filter, Sort};
use crate::incoming::KnownOfSource;
use crate::original::{self, Originals, Stream};
use crate::run::{self, OutcomeQuery, OutcomeRow, Page, Run};
use crate::standing::{self, Labelled, Purged};
use crate::{Error, file, ledger, message};
use assay_model::{Candidate, Ledger, LedgerEntry, Message, Notice, ParsedConversation};
use rusqlite::{Connection, InterruptHandle, params_from_iter};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A library that is open for reading.
#[derive(Debug)]
pub struct Reader {
    pub(crate) db: Connection,
    pub(crate) path: PathBuf,
}

/// How much there is in a library, and what it takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Bytes of the file and its log.
    pub file: u64,
    /// Bytes in it that nothing takes.
    pub free: u64,
    /// Conversations, deleted ones included.
    pub conversations: u64,
    /// Earlier states of conversations.
    pub earlier: u64,
    /// Those that are deleted and can be restored.
    pub deleted: u64,
    /// Messages.
    pub messages: u64,
    /// Messages that are not in the text index yet.
    pub unindexed: u64,
    /// Bytes that messages take.
    pub message_bytes: u64,
    /// Bytes that the text index takes.
    pub index_bytes: u64,
    /// Bytes that the accounts take.
    pub ledger_bytes: u64,
    /// The same of originals.
    pub originals: Originals,
}

impl Reader {
    /// Opens a library to read; `None` if there is none yet. Makes and changes nothing.
    pub fn open(path: &Path) -> Result<Option<Self>, Error> {
        Ok(file::open_to_read(path)?.map(|db| Self { db, path: path.to_owned() }))
    }

    /// Stops what this reader is asked, from another thread; it then answers [`Error::Interrupted`].
    pub fn interrupter(&self) -> InterruptHandle {
        self.db.get_interrupt_handle()
    }

    /// How many conversations there are, by source.
    pub fn counts(&self) -> Result<BTreeMap<String, u64>, Error> {
        let sql = format!(
            "SELECT source, count(*) FROM {LISTED_FROM} WHERE deleted_at IS NULL AND earlier_of IS NULL GROUP BY source"
        );
        self.all(&sql, [], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64))).map(|rows| rows.into_iter().collect())
    }

    /// How many conversations are deleted and can be restored.
    pub fn deleted(&self) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM standing WHERE deleted_at IS NOT NULL";
        self.db.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|n| n as u64).at(&self.path)
    }

    /// The projects of the conversations that `filter` wants and how many each has, those with the most first.
    pub fn projects(&self, filter: &Filter) -> Result<Vec<(String, u64)>, Error> {
        let (wanted, values) = filter.whole();
        let sql =
            format!("SELECT project_name, count(*) FROM conversation WHERE {wanted} GROUP BY 1 ORDER BY 2 DESC, 1");
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64));
        self.all(&sql, params_from_iter(&values), row)
    }

    /// Bytes of the file and its log.
    pub fn bytes(&self) -> u64 {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        [self.path.as_path(), Path::new(&log)].iter().filter_map(|p| std::fs::metadata(p).ok()).map(|m| m.len()).sum()
    }

    /// What change detection needs of every conversation of a source.
    pub fn known(&self, source: &str) -> Result<KnownOfSource, Error> {
        conversation::known_of(&self.db, source).at(&self.path)
    }

    /// Where what has each id of a source was read: a path as text, by the source's own id.
    pub fn places(&self, source: &str) -> Result<HashMap<String, String>, Error> {
        self.all(
            "SELECT source_conversation_id, file_path FROM conversation WHERE source = ? AND earlier_of IS NULL",
            [source],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .map(|rows| rows.into_iter().collect())
    }

    /// A page of conversations.
    pub fn list(
        &self,
        filter: &Filter,
        sort: Sort,
        descending: bool,
        offset: u32,
        limit: u32,
    ) -> Result<Page<Listed>, Error> {
        let ((conditions, values), by) = (filter.whole(), sort.column());
        let direction = if descending { "DESC" } else { "ASC" };
        let total = self
            .db
            .prepare_cached(&format!("SELECT count(*) FROM conversation WHERE {conditions}"))
            .and_then(|mut s| s.query_row(params_from_iter(&values), |row| row.get(0)))
            .at(&self.path)?;
        let rows = self.all(
            &format!(
                "SELECT {LISTED} FROM {LISTED_FROM} WHERE {conditions}
                 ORDER BY {by} {direction}, source, source_conversation_id LIMIT {limit} OFFSET {offset}"
            ),
            params_from_iter(&values),
            listed,
        )?;
        Ok(Page { total, rows })
    }

    /// The conversations that go by `id`, which is a portable id, or a source's own. More than one if ids
    /// of several sources, or the portable forms of two, are the same.
    pub fn find(&self, id: &str) -> Result<Vec<Listed>, Error> {
        // A portable id first: it is what every output shows.
        let found = self.by_portable_id(id)?;
        if found.len() == 1 {
            return Ok(found);
        }
        // Where the portable id is shared (or is none), the source's own id tells them apart.
        let sql = format!("SELECT {LISTED} FROM {LISTED_FROM} WHERE source_conversation_id = ? ORDER BY source");
        let own = self.all(&sql, [id], listed)?;
        Ok(if own.is_empty() { found } else { own })
    }

    /// All conversations that one portable id names: more than one where ids meet.
    pub fn by_portable_id(&self, id: &str) -> Result<Vec<Listed>, Error> {
        let sql = format!("SELECT {LISTED} FROM {LISTED_FROM} WHERE conversation_id = ? ORDER BY source");
        self.all(&sql, [id], listed)
    }

    /// A conversation by its source and the source's own id.
    pub fn find_in(&self, source: &str, id: &str) -> Result<Option<Listed>, Error> {
        let sql = format!("SELECT {LISTED} FROM {LISTED_FROM} WHERE (source, source_conversation_id) = (?, ?)");
        self.all(&sql, [source, id], listed).map(|mut rows| rows.pop())
    }

    /// The earlier states of a conversation, latest first.
    pub fn earlier(&self, key: i64) -> Result<Vec<Listed>, Error> {
        let sql = format!("SELECT {LISTED} FROM {LISTED_FROM} WHERE earlier_of = ? ORDER BY read_at DESC");
        self.all(&sql, [key], listed)
    }

    /// The copies of a conversation, by id.
    pub fn copies(&self, of: &Listed) -> Result<Vec<Listed>, Error> {
        let sql = format!(
            "SELECT {LISTED} FROM {LISTED_FROM} WHERE (source, copy_of) = (?, ?) AND deleted_at IS NULL
             ORDER BY source_conversation_id"
        );
        self.all(&sql, [&of.source, &of.id], listed)
    }

    /// Portable ids that more than one conversation has, with the sources' own ids. They are never merged;
    /// what goes by a portable id outside has to refuse them.
    pub fn collisions(&self) -> Result<BTreeMap<String, Vec<String>>, Error> {
        let rows = self.all(
            "SELECT conversation_id, source_conversation_id FROM conversation WHERE conversation_id IN
                 (SELECT conversation_id FROM conversation GROUP BY conversation_id HAVING count(*) > 1)
             ORDER BY source, source_conversation_id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (portable, own) in rows {
            found.entry(portable).or_default().push(own);
        }
        Ok(found)
    }

    /// Every label that a conversation bears, by name.
    pub fn labels(&self) -> Result<Vec<Labelled>, Error> {
        standing::labels(&self.db).at(&self.path)
    }

    /// The source's own ids of the conversations that a person deleted: imports leave them out.
    pub fn left_out(&self, source: &str) -> Result<HashSet<String>, Error> {
        standing::left_out(&self.db, source).at(&self.path)
    }

    /// Conversations of which nothing is kept any more, latest first.
    pub fn purged(&self) -> Result<Vec<Purged>, Error> {
        standing::purged(&self.db).at(&self.path)
    }

    /// All that is stored of a conversation but its messages and its account.
    pub fn show(&self, key: i64) -> Result<Option<Stored>, Error> {
        conversation::stored(&self.db, key).at(&self.path)
    }

    /// What the scan had found of a conversation.
    pub fn candidate(&self, key: i64) -> Result<Option<Candidate>, Error> {
        conversation::candidate(&self.db, key).at(&self.path)
    }

    /// Messages `range` of a conversation.
    pub fn messages(&self, of: &Stored, range: Range<u32>) -> Result<Vec<Message>, Error> {
        message::read(&self.db, of.listed.key, &of.files, range).at(&self.path)
    }

    /// Entries `range` of a conversation's account.
    pub fn entries(&self, of: &Stored, range: Range<u32>) -> Result<Vec<LedgerEntry>, Error> {
        ledger::entries(&self.db, of.listed.key, &of.files, range).at(&self.path)
    }

    /// The remarks of a conversation's account.
    pub fn notices(&self, of: &Stored) -> Result<Vec<Notice>, Error> {
        ledger::notices(&self.db, of.listed.key).at(&self.path)
    }

    /// A whole conversation as it was parsed.
    pub fn conversation(&self, of: &Stored) -> Result<ParsedConversation, Error> {
        Ok(ParsedConversation {
            messages: self.messages(of, 0..u32::MAX)?,
            reference_order: message::reference_order(&self.db, of.listed.key).at(&self.path)?,
            ..of.conversation.clone()
        })
    }

    /// A conversation's whole account.
    pub fn ledger(&self, of: &Stored) -> Result<Ledger, Error> {
        Ok(Ledger {
            entries: self.entries(of, 0..u32::MAX)?,
            notices: self.notices(of)?,
            extents: of.extents.clone(),
            rows: of.rows,
            row_bytes: of.row_bytes,
        })
    }

    /// How much there is of everything, and what it takes.
    pub fn size(&self) -> Result<Size, Error> {
        let number =
            |sql: &str| self.db.query_row(sql, [], |row| row.get::<_, i64>(0)).map(|n| n as u64).at(&self.path);
        let of =
            |what: &str| format!("SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE aggregate = TRUE AND name {what}");
        Ok(Size {
            file: self.bytes(),
            free: number("SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")?,
            conversations: number("SELECT count(*) FROM conversation WHERE earlier_of IS NULL")?,
            earlier: number("SELECT count(*) FROM conversation WHERE earlier_of IS NOT NULL")?,
            deleted: number("SELECT count(*) FROM standing WHERE deleted_at IS NOT NULL")?,
            messages: number("SELECT coalesce(sum(messages), 0) FROM conversation WHERE earlier_of IS NULL")?,
            unindexed: self.unindexed()?,
            message_bytes: number(&of("= 'message'"))?,
            index_bytes: number(&of("LIKE 'message_fts%'"))?,
            ledger_bytes: number(&of("IN ('ledger_entry', 'notice', 'conversation_reason')"))?,
            originals: self.originals()?,
        })
    }

    /// How much originals there are, and what they take.
    pub fn originals(&self) -> Result<Originals, Error> {
        original::sizes(&self.db).at(&self.path)
    }

    /// What the streams of a conversation's original are, as they were described, and their bytes; `None` if
    /// it has none.
    pub fn original(&self, key: i64) -> Result<Option<(serde_json::Value, u64)>, Error> {
        original::about(&self.db, key).at(&self.path)
    }

    /// One of those streams.
    pub fn original_stream(&self, key: i64, number: u32) -> Result<Stream<'_>, Error> {
        original::stream(&self.db, key, number).at(&self.path)
    }

    /// The latest runs first.
    pub fn runs(&self, limit: u32) -> Result<Vec<Run>, Error> {
        run::runs(&self.db, limit).at(&self.path)
    }

    /// One run.
    pub fn run(&self, run: i64) -> Result<Option<Run>, Error> {
        run::run(&self.db, run).at(&self.path)
    }

    /// What a run did, a page of it.
    pub fn outcomes(&self, query: &OutcomeQuery) -> Result<Page<OutcomeRow>, Error> {
        run::outcomes(&self.db, query).at(&self.path)
    }

    pub(crate) fn all<T>(
        &self,
        sql: &str,
        values: impl rusqlite::Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let mut statement = self.db.prepare_cached(sql).at(&self.path)?;
        let rows = statement.query_map(values, read).at(&self.path)?;
        rows.collect::<rusqlite::Result<_>>().at(&self.path)
    }
}
