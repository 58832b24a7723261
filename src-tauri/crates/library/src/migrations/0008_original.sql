-- Originals: the bytes of the stores that conversations were read from. They are cut into pieces where
-- their content says so, and each piece is kept once (zstd), whoever has it.
CREATE TABLE piece (
    piece INTEGER PRIMARY KEY,
    hash  BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32),  -- SHA-256 of the bytes
    bytes INTEGER NOT NULL,                             -- before compression
    body  BLOB    NOT NULL
) STRICT;

CREATE TABLE original (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (conversation),
    bytes        INTEGER NOT NULL,                      -- of all its streams
    about        TEXT    NOT NULL                       -- JSON: what the streams are
) STRICT;

-- The pieces of a conversation in order, stream by stream. Keys are made like those of messages.
CREATE TABLE original_piece (
    part         INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversation (conversation),
    stream       INTEGER NOT NULL,
    piece        INTEGER NOT NULL REFERENCES piece (piece)
) STRICT;

CREATE INDEX original_piece_by_piece ON original_piece (piece);
