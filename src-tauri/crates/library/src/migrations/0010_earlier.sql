-- A state of a conversation that said more than the one that took its place: it stays, behind that one.
ALTER TABLE conversation ADD COLUMN earlier_of INTEGER REFERENCES conversation (conversation);

CREATE INDEX conversation_earlier ON conversation (earlier_of) WHERE earlier_of IS NOT NULL;
