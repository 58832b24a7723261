-- What a person says of conversations. No import touches it, so it outlives every one.
CREATE TABLE standing (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (conversation),
    pinned_at    INTEGER,                               -- milliseconds since 1970; NULL if it is not pinned
    deleted_at   INTEGER                                -- the same; a deleted conversation is hidden, not gone
) STRICT;

CREATE TABLE label (
    conversation INTEGER NOT NULL REFERENCES conversation (conversation),
    label        TEXT    NOT NULL COLLATE NOCASE,
    PRIMARY KEY (conversation, label)
) STRICT, WITHOUT ROWID;

CREATE INDEX label_by_name ON label (label);

-- Conversations of which nothing is kept any more, and that imports leave out until they are let in again.
CREATE TABLE tombstone (
    source                 TEXT    NOT NULL,
    source_conversation_id TEXT    NOT NULL,
    title                  TEXT    NOT NULL,
    purged_at              INTEGER NOT NULL,            -- milliseconds since 1970
    PRIMARY KEY (source, source_conversation_id)
) STRICT, WITHOUT ROWID;
