-- The account: entries in chunks of 1,000 (zstd over a JSON array), remarks, and the numbers by reason.
-- Keys are made like those of messages: conversation in the upper half, number in the lower.
CREATE TABLE ledger_entry (
    chunk        INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (conversation),
    entries      INTEGER NOT NULL,
    body         BLOB    NOT NULL
) STRICT;

CREATE TABLE notice (
    notice       INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (conversation),
    code         TEXT    NOT NULL,
    detail       TEXT    NOT NULL,
    locator      TEXT                                   -- JSON
) STRICT;

CREATE TABLE conversation_reason (
    conversation INTEGER NOT NULL REFERENCES conversation (conversation),
    reason       TEXT    NOT NULL,
    entries      INTEGER NOT NULL,
    PRIMARY KEY (conversation, reason)
) STRICT, WITHOUT ROWID;

CREATE INDEX conversation_reason_by_reason ON conversation_reason (reason);
