-- What the text index does not have yet: of a conversation that is named here, the messages from `seq` on.
-- An import only notes them; indexing comes after, and can be stopped or killed at any message.
CREATE TABLE unindexed (
    conversation INTEGER PRIMARY KEY REFERENCES conversation (conversation),
    seq          INTEGER NOT NULL
) STRICT;
