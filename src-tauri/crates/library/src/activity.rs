//! When there was activity, and when something was lost: the numbers behind pictures. Deliberately absent:
//! days and months. Those depend on where a person is; an hour of the world does not.

use crate::{Error, Reader};

/// One hour in milliseconds.
const HOUR: i64 = 3_600_000;

impl Reader {
    /// Messages by source and hour since 1970, oldest first. Messages without a recorded or derived time are
    /// left out: a made-up time says nothing about when somebody worked.
    pub fn activity(&self) -> Result<Vec<(String, i64, u64)>, Error> {
        let sql = format!(
            "SELECT c.source, m.timestamp / {HOUR}, count(*) FROM message m JOIN conversation c USING (conversation)
             WHERE earlier_of IS NULL AND m.timestamp IS NOT NULL AND m.timestamp_origin <> 'synthetic' GROUP BY 1, 2 ORDER BY 2, 1"
        );
        self.all(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64)))
    }

    /// Entries by reason and hour of their conversation's latest message, oldest first.
    pub fn reasons_over_time(&self) -> Result<Vec<(String, i64, u64)>, Error> {
        let sql = format!(
            "SELECT r.reason, c.last_message_at / {HOUR}, sum(r.entries)
             FROM conversation_reason r JOIN conversation c USING (conversation)
             WHERE earlier_of IS NULL AND c.last_message_at IS NOT NULL GROUP BY 1, 2 ORDER BY 2, 1"
        );
        self.all(&sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)? as u64)))
    }
}
