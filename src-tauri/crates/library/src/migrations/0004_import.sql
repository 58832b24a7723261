-- Import runs and what each did with every conversation it met.
CREATE TABLE import_run (
    run        INTEGER PRIMARY KEY AUTOINCREMENT,
    started_at INTEGER NOT NULL,                        -- milliseconds since 1970
    ended_at   INTEGER,                                 -- NULL while it runs, and for ever if it was killed
    cancelled  INTEGER NOT NULL DEFAULT 0,
    result     TEXT                                     -- JSON
) STRICT;

CREATE TABLE import_outcome (
    outcome                INTEGER PRIMARY KEY,
    run                    INTEGER NOT NULL REFERENCES import_run (run),
    source                 TEXT    NOT NULL,
    source_conversation_id TEXT    NOT NULL,
    title                  TEXT    NOT NULL,
    importer               TEXT    NOT NULL,            -- read, or why it was skipped
    library                TEXT,                        -- what the library did
    reason                 TEXT,
    verdict                TEXT
) STRICT;

CREATE INDEX import_outcome_by_run ON import_outcome (run);
