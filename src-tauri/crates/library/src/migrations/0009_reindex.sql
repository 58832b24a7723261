-- Words are cut in another way than before: everything has to be indexed again.
INSERT INTO message_fts (message_fts) VALUES ('delete-all');
DELETE FROM unindexed;
INSERT INTO unindexed SELECT conversation, 0 FROM conversation WHERE messages > 0;
