-- crate: accounts
-- What people sign in with beyond the password, how often they failed to, and their sessions.

-- The second factor stands in the user's own row, so that switching it and spending its passwords lock one row.
-- The three columns are null together while it is off.
ALTER TABLE users ADD COLUMN second_factor_enabled_at INTEGER;
ALTER TABLE users ADD COLUMN second_factor_sealed BLOB; -- the shared secret, encrypted
ALTER TABLE users ADD COLUMN second_factor_last_step INTEGER; -- it and all time steps before it are spent

CREATE TABLE recovery_codes (
    user_id INTEGER NOT NULL REFERENCES users (id),
    digest BLOB NOT NULL, -- SHA-256 of the code
    PRIMARY KEY (user_id, digest)
) WITHOUT ROWID;

CREATE TABLE sign_in_failures (
    key_digest BLOB NOT NULL PRIMARY KEY, -- SHA-256 of what is counted: an account, an address, or both
    failures INTEGER NOT NULL,
    since INTEGER NOT NULL -- when the first of them happened
) WITHOUT ROWID;

CREATE INDEX sign_in_failures_since ON sign_in_failures (since); -- for cleaning

-- The id of a session is never given again: grants remember it after the session has ended.
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the value of the cookie
    user_id INTEGER NOT NULL REFERENCES users (id),
    stage INTEGER NOT NULL, -- 0 the second factor is missing, 1 signed in
    user_agent TEXT NOT NULL,
    address TEXT NOT NULL,
    authenticated_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

CREATE INDEX sessions_user ON sessions (user_id);
-- For cleaning. None for last_seen_at: every use of a session would have to change it, and what was not used is
-- looked for in the whole table, now and then.
CREATE INDEX sessions_expires ON sessions (expires_at);
