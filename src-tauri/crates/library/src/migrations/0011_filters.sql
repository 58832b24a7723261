-- The text index once more, with what a search is narrowed to as words of its own (see search/index.rs) and with
-- an index of the beginnings of words. Everything has to be indexed again.
DROP TABLE message_fts;

CREATE VIRTUAL TABLE message_fts USING fts5 (
    text, thinking, whole, about,
    content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3 5'
);

INSERT INTO message_fts (message_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO message_fts (message_fts, rank) VALUES ('rank', 'bm25(1.0, 0.5, 1.0, 0.0)');

DELETE FROM unindexed;
INSERT INTO unindexed SELECT conversation, 0 FROM conversation WHERE messages > 0;
