-- crate: accounts
-- Invitations to register, each for one person. A used or revoked one is deleted.
CREATE TABLE invitations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    creator_id INTEGER REFERENCES users (id), -- the command line if NULL
    email TEXT,
    username TEXT,
    place_kind INTEGER, -- of the role that the person gets: 1 project, 2 group
    place_id INTEGER,
    access_level INTEGER,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the secret
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);
-- Finds those of a user who is deleted.
CREATE INDEX invitations_creator ON invitations (creator_id, id);
-- Finds those to a place that is deleted.
CREATE INDEX invitations_place ON invitations (place_id, place_kind) WHERE place_id IS NOT NULL;
-- Finds those that expired.
CREATE INDEX invitations_expiry ON invitations (expires_at, id);
