-- Which conversation of its source this is a copy of, so that what is there twice can be shown once.
ALTER TABLE conversation ADD COLUMN copy_of TEXT;

UPDATE conversation SET copy_of = (
    SELECT value ->> 'conversation' FROM json_each(links) WHERE value ->> 'relation' = 'copy' LIMIT 1
);

CREATE INDEX conversation_copies ON conversation (source, copy_of) WHERE copy_of IS NOT NULL;
