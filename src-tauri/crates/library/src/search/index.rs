//! Messages on their way into the index, and out of it. An import notes what the index does not have yet
//! and takes out what it must not have any more; the words come later, because cutting and sorting them
//! takes nine times as long as storing the messages. Deliberately absent: transactions, and looking words up.

use super::tokens::words;
use crate::key::{in_conversation, part_of};
use rusqlite::{Connection, OptionalExtension, params};

/// How much text is indexed in one commit: enough to make the commit itself cheap, little enough that
/// nobody waits long for the library.
const FULL: u64 = 16 << 20;

/// That a message has code.
pub(super) const CODE: &str = "code";

/// That a message uses a tool.
pub(super) const TOOLS: &str = "tools";

/// What a message is, as a word of the index. It begins with a sign that no word of a text has, so that nothing
/// that a person types finds it.
pub(super) fn about(what: &str) -> String {
    format!("\u{e000}{}", what.replace('-', ""))
}

/// Notes that a conversation's messages from `head` on are not in the index yet.
pub(crate) fn note(db: &Connection, conversation: i64, head: u32, messages: u32) -> rusqlite::Result<()> {
    if head < messages {
        // What is noted already begins earlier: there is a head only where something was stored before.
        db.prepare_cached("INSERT INTO unindexed (conversation, seq) VALUES (?, ?) ON CONFLICT DO NOTHING")?
            .execute(params![conversation, head])?;
    }
    Ok(())
}

/// Takes a conversation's messages out of the index, and what is noted of it with them.
pub(crate) fn forget(db: &Connection, conversation: i64) -> rusqlite::Result<()> {
    let noted = db
        .prepare_cached("DELETE FROM unindexed WHERE conversation = ? RETURNING seq")?
        .query_row([conversation], |row| row.get::<_, u32>(0))
        .optional()?;
    let [first, last] = in_conversation(conversation, 0);
    let last = noted.map_or(last, |seq| part_of(conversation, seq) - 1);
    // One by one: the index, asked for a range of rows to delete, reads all of them.
    let mut messages = db.prepare_cached("SELECT message FROM message WHERE message BETWEEN ? AND ?")?;
    let mut delete = db.prepare_cached("DELETE FROM message_fts WHERE rowid = ?")?;
    let mut rows = messages.query([first, last])?;
    while let Some(row) = rows.next()? {
        delete.execute([row.get::<_, i64>(0)?])?;
    }
    Ok(())
}

/// Indexes what is noted, the latest conversations first, until there is enough for one commit or `go_on`,
/// which hears the bytes of each message, wants no more. Returns whether anything is left.
pub(crate) fn index(db: &Connection, go_on: &mut dyn FnMut(u64) -> bool) -> rusqlite::Result<bool> {
    let noted: Vec<(i64, u32)> = db
        .prepare_cached(
            "SELECT conversation, seq FROM unindexed JOIN conversation USING (conversation)
             ORDER BY last_message_at DESC, conversation",
        )?
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut messages = db.prepare_cached(
        "SELECT message, content, thinking, type, kind, has_code, has_tool_use, tool_name FROM message
         WHERE message BETWEEN ? AND ? ORDER BY message",
    )?;
    let mut insert = db.prepare_cached(
        "INSERT INTO message_fts (rowid, text, thinking, whole, about, tool) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let mut held = 0;
    for (conversation, seq) in noted {
        let mut rows = messages.query(in_conversation(conversation, seq))?;
        while let Some(row) = rows.next()? {
            let message: i64 = row.get(0)?;
            let (content, thought) = (row.get_ref(1)?.as_str()?, row.get_ref(2)?.as_str_or_null()?);
            let (text, whole) = words(content);
            let (thinking, thought_whole) = thought.map(words).unwrap_or_default();
            let tool = row.get_ref(7)?.as_str_or_null()?.map(words).unwrap_or_default();
            if [&text, &thinking, &tool.0].iter().any(|words| !words.is_empty()) {
                let is = [(row.get(5)?, CODE), (row.get(6)?, TOOLS)];
                let is = is.iter().filter(|(is, _)| *is).map(|(_, word)| *word);
                let said = [row.get_ref(3)?.as_str()?, row.get_ref(4)?.as_str()?];
                let about: String = said.into_iter().chain(is).map(|word| about(word) + " ").collect();
                let (whole, tool) = (whole + &thought_whole, tool.0 + &tool.1);
                insert.execute(params![message, text, thinking, whole, about, tool])?;
            }
            let bytes = (content.len() + thought.map_or(0, str::len)) as u64;
            held += bytes;
            if !go_on(bytes) || held >= FULL {
                let next = message - part_of(conversation, 0) + 1;
                db.prepare_cached("UPDATE unindexed SET seq = ?2 WHERE conversation = ?1")?
                    .execute(params![conversation, next])?;
                // It may have been the last of its conversation.
                db.prepare_cached(
                    "DELETE FROM unindexed WHERE conversation = ?1
                     AND seq = (SELECT messages FROM conversation WHERE conversation = ?1)",
                )?
                .execute([conversation])?;
                return db.prepare_cached("SELECT EXISTS (SELECT 1 FROM unindexed)")?.query_row([], |row| row.get(0));
            }
        }
        db.prepare_cached("DELETE FROM unindexed WHERE conversation = ?")?.execute([conversation])?;
    }
    Ok(false)
}

/// Empties the index and notes everything as not indexed yet.
pub(crate) fn clear(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(include_str!("../migrations/0009_reindex.sql"))
}

/// How many messages are not in the index yet.
pub(crate) fn unindexed(db: &Connection) -> rusqlite::Result<u64> {
    db.prepare_cached("SELECT coalesce(sum(messages - seq), 0) FROM unindexed JOIN conversation USING (conversation)")?
        .query_row([], |row| row.get::<_, i64>(0).map(|n| n as u64))
}

/// How many bytes of text are not in the index yet. Takes a look at each of those messages.
pub(crate) fn unindexed_bytes(db: &Connection) -> rusqlite::Result<u64> {
    db.prepare_cached(
        "SELECT coalesce(sum(octet_length(content) + coalesce(octet_length(thinking), 0)), 0)
         FROM unindexed u JOIN message m ON m.message BETWEEN (u.conversation << 32) + u.seq
                                                          AND (u.conversation << 32) + 4294967295",
    )?
    .query_row([], |row| row.get::<_, i64>(0).map(|n| n as u64))
}
