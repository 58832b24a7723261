-- Messages. The key is the conversation's in the upper half and the position in the lower, so that a
-- conversation's messages lie together in order and need no second index. Long texts come last: what is
-- before them is read without them.
CREATE TABLE message (
    message          INTEGER PRIMARY KEY,
    conversation     INTEGER NOT NULL REFERENCES conversation (conversation),
    seq              INTEGER NOT NULL,
    id               TEXT    NOT NULL,                  -- unique at most within its conversation
    parent_uuid      TEXT,
    type             TEXT    NOT NULL,
    role             TEXT    NOT NULL,
    kind             TEXT    NOT NULL,
    has_tool_use     INTEGER NOT NULL,
    has_code         INTEGER NOT NULL,
    timestamp        INTEGER,                           -- milliseconds since 1970
    timestamp_origin TEXT    NOT NULL,                  -- recorded | derived | synthetic
    timestamp_rule   TEXT,
    reason           TEXT,                              -- the boundary a recovered message crossed
    tool_name        TEXT,
    tool_call_id     TEXT,
    branch           TEXT,
    superseded_by    TEXT,
    out_of_order     INTEGER NOT NULL,
    reference_index  INTEGER,                           -- place in the reference order; NULL for a recovered message
    file             INTEGER NOT NULL,                  -- index into conversation.files
    byte_start       INTEGER,
    byte_end         INTEGER,
    line             INTEGER,
    row_table        TEXT,
    row_key          TEXT,
    pointer          TEXT,
    retention        TEXT    GENERATED ALWAYS AS (iif(reason IS NULL, 'reference', 'recovered')) VIRTUAL,
    content          TEXT    NOT NULL,
    thinking         TEXT,
    CHECK (message = (conversation << 32) | seq)
) STRICT;
