-- Full text. The rowid is the message's key. The table holds no text of its own: what goes in was cut
-- into tokens before (see search/tokens.rs), `whole` has the identifiers that `text` and `thinking` have
-- in parts. `ascii` splits at ASCII separators only, so that it takes our tokens as they are.
CREATE VIRTUAL TABLE message_fts USING fts5 (
    text, thinking, whole,
    content = '', contentless_delete = 1, tokenize = 'ascii'
);

INSERT INTO message_fts (message_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO message_fts (message_fts, rank) VALUES ('rank', 'bm25(1.0, 0.5, 1.0)');
