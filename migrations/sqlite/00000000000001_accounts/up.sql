-- crate: accounts
-- Users, their access tokens, and the number that rises whenever something loses power.
-- Moments are microseconds since 1970 in UTC; days are days since 1970-01-01.

CREATE TABLE users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    username TEXT NOT NULL,
    username_key TEXT NOT NULL UNIQUE, -- in lower case: usernames are found in any case
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    email_key TEXT UNIQUE, -- in lower case; null for an account without an address
    kind INTEGER NOT NULL, -- 0 person, 1 alert bot
    is_admin BOOLEAN NOT NULL,
    password_hash TEXT, -- PHC string; null for an account that cannot sign in with a password
    blocked_at INTEGER,
    created_at INTEGER NOT NULL
);

-- There is one bot of each kind.
CREATE UNIQUE INDEX users_bots ON users (kind) WHERE kind <> 0;

CREATE TABLE access_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    kind INTEGER NOT NULL, -- 0 personal, 1 impersonation
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    expires_on INTEGER NOT NULL, -- the first day on which it no longer works
    revoked_at INTEGER,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
);

CREATE INDEX access_tokens_user ON access_tokens (user_id, id);

CREATE TABLE auth_epoch (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL
);

INSERT INTO auth_epoch (id, epoch) VALUES (1, 1);
