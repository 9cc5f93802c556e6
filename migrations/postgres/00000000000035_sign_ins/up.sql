-- crate: accounts
-- How often a user signed in, when last, and when the time before. An older process writes none of them, so what it lets in
-- is not counted.
ALTER TABLE users ADD COLUMN sign_in_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN current_sign_in_at BIGINT;
ALTER TABLE users ADD COLUMN last_sign_in_at BIGINT;
