-- Conversations: one row for each (source, source_conversation_id). What change detection needs comes
-- first, so that it is read without touching the long columns behind it.
CREATE TABLE conversation (
    conversation           INTEGER PRIMARY KEY,
    source                 TEXT    NOT NULL,
    source_conversation_id TEXT    NOT NULL,            -- as the source wrote it, never namespaced
    conversation_id        TEXT    NOT NULL,            -- the portable id; not unique: two raw ids may meet in it
    file_path              TEXT    NOT NULL,
    file_size              INTEGER NOT NULL,
    file_mtime             INTEGER NOT NULL,            -- nanoseconds since 1970
    parser_version         TEXT    NOT NULL,
    retention              TEXT    NOT NULL,            -- reference | full
    content_hash           BLOB    NOT NULL CHECK (length(content_hash) = 32),
    full_hash              BLOB    NOT NULL CHECK (length(full_hash) = 32),
    rest_hash              BLOB    NOT NULL CHECK (length(rest_hash) = 32),   -- of all that the other two leave out
    raw_hash               BLOB    CHECK (length(raw_hash) = 32),             -- of the store's own bytes
    read_at                INTEGER NOT NULL,            -- nanoseconds since 1970
    gone_since             INTEGER,                     -- milliseconds since 1970; NULL while the source has it
    messages               INTEGER NOT NULL,
    recovered_messages     INTEGER NOT NULL,
    verdict                TEXT    NOT NULL,            -- exact | complete | degraded | blocked
    first_message_at       INTEGER,                     -- milliseconds since 1970
    last_message_at        INTEGER,
    lost                   INTEGER NOT NULL,
    unknown                INTEGER NOT NULL,
    synthetic              INTEGER NOT NULL,
    title                  TEXT    NOT NULL,
    slug                   TEXT,
    project_dir            TEXT    NOT NULL,
    project_name           TEXT    NOT NULL,
    cwd                    TEXT,
    git_branch             TEXT,
    tool_version           TEXT,
    coverage               TEXT    NOT NULL,            -- reference | extended
    links                  TEXT    NOT NULL,            -- JSON
    scanned_project_dir    TEXT    NOT NULL,            -- as the scan named it; project_dir is the parser's
    hint                   TEXT    NOT NULL,            -- JSON, opaque
    summary                TEXT    NOT NULL,            -- JSON
    files                  TEXT    NOT NULL,            -- JSON array; messages and entries name a file by its index
    extents                TEXT    NOT NULL,            -- JSON array of [file, bytes]
    ledger_rows            INTEGER NOT NULL,
    ledger_row_bytes       INTEGER NOT NULL,
    UNIQUE (source, source_conversation_id)
) STRICT;

CREATE INDEX conversation_by_portable_id ON conversation (conversation_id);
CREATE INDEX conversation_by_time ON conversation (last_message_at);
