-- crate: accounts
-- Creator of a token, for the audit entries of requests with an impersonation token; NULL if unknown.
ALTER TABLE access_tokens ADD COLUMN creator_id INTEGER REFERENCES users (id);
-- Finds those of a user who is deleted.
CREATE INDEX access_tokens_creator ON access_tokens (creator_id, id) WHERE creator_id IS NOT NULL;
