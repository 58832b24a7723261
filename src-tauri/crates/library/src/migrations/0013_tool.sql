-- The text index once more, with the names of tools, and the sigma at the end of a word as any other. Everything has
-- to be indexed again. That a tool was used says less than that it is talked of.
DROP TABLE message_fts;

CREATE VIRTUAL TABLE message_fts USING fts5 (
    text, thinking, whole, about, tool,
    content = '', contentless_delete = 1, tokenize = 'ascii', prefix = '3 5'
);

INSERT INTO message_fts (message_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO message_fts (message_fts, rank) VALUES ('rank', 'bm25(1.0, 0.5, 1.0, 0.0, 0.3)');

DELETE FROM unindexed;
INSERT INTO unindexed SELECT conversation, 0 FROM conversation WHERE messages > 0;
