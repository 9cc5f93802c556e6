-- crate: accounts
-- Deploy tokens: the place is a project (kind 1) or a group (kind 2).
CREATE TABLE deploy_tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    place_kind INTEGER NOT NULL,
    place_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    username TEXT, -- derived from the id if NULL
    scopes TEXT NOT NULL,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    expires_at INTEGER, -- never if NULL
    creator_id INTEGER NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL
);
CREATE INDEX deploy_tokens_place ON deploy_tokens (place_id, place_kind, id);
