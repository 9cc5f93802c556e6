-- crate: accounts
-- A rotation revokes a token and creates its successor. All successors name the first token of their chain, so that the
-- use of a rotated token finds the one that is valid now.
ALTER TABLE access_tokens ADD COLUMN family_id INTEGER;
CREATE INDEX access_tokens_family ON access_tokens (family_id, id) WHERE family_id IS NOT NULL AND revoked_at IS NULL;
-- Rotations leave many revoked tokens behind. The list of those that may be valid reads none of them.
CREATE INDEX access_tokens_active ON access_tokens (user_id, id) WHERE revoked_at IS NULL;
