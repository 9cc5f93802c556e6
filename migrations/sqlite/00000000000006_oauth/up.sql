-- crate: oauth-provider
-- Applications, requests that wait for consent, grants, their tokens, and the keys that sign id tokens.

CREATE TABLE oauth_applications (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    secret_digest BLOB NOT NULL, -- SHA-256 of the secret
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL, -- a JSON array, in the order of registration
    scopes TEXT NOT NULL,
    client_type INTEGER NOT NULL, -- 0 confidential, 1 public
    trusted BOOLEAN NOT NULL,
    owner_id INTEGER REFERENCES users (id), -- null for one of the instance
    created_at INTEGER NOT NULL
);

-- An owner's applications in the order in which they are listed.
CREATE INDEX oauth_applications_owner ON oauth_applications (owner_id, created_at, id);

CREATE TABLE oauth_authorization_requests (
    handle_digest BLOB NOT NULL PRIMARY KEY, -- digest of the handle
    application_id INTEGER NOT NULL REFERENCES oauth_applications (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id),
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    scopes TEXT NOT NULL,
    state TEXT,
    nonce TEXT,
    challenge TEXT,
    auth_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
);

-- For what follows the end of an application or a session, and for cleaning.
CREATE INDEX oauth_authorization_requests_application ON oauth_authorization_requests (application_id);
CREATE INDEX oauth_authorization_requests_session ON oauth_authorization_requests (session_id);
CREATE INDEX oauth_authorization_requests_expires ON oauth_authorization_requests (expires_at);

-- A grant outlives the session in which it was given, so it names the session without a foreign key.
CREATE TABLE oauth_grants (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    code_digest BLOB UNIQUE, -- digest of the code; null for a password grant, like code_expires_at
    code_expires_at INTEGER,
    user_id INTEGER NOT NULL REFERENCES users (id),
    application_id INTEGER REFERENCES oauth_applications (id) ON DELETE CASCADE,
    session_id INTEGER,
    scopes TEXT NOT NULL,
    redirect_uri TEXT,
    challenge TEXT,
    nonce TEXT,
    auth_time INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    redeemed_at INTEGER,
    revoked_at INTEGER
);

-- What a user has permitted to whom; what follows the end of an application or a session; cleaning. No index has a
-- column that changes, so that redeeming and revoking leave all of them alone.
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, application_id);
CREATE INDEX oauth_grants_application ON oauth_grants (application_id);
CREATE INDEX oauth_grants_session ON oauth_grants (session_id);
CREATE INDEX oauth_grants_expires ON oauth_grants (expires_at);

-- Written with every exchange and every refresh, and read with every request that bears a token. The row repeats the
-- user and the application of its grant, so that a bearer is known after one probe of one index. Digests of tokens and
-- codes begin with the moment of the token, so that new entries stand together at the end of the indexes.
CREATE TABLE oauth_token_pairs (
    id INTEGER PRIMARY KEY, -- greater than every other; nobody remembers it after its row, so it may come again
    grant_id INTEGER NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    access_digest BLOB NOT NULL UNIQUE, -- digest of the access token
    refresh_digest BLOB UNIQUE, -- digest of the refresh token; null without one, like refresh_expires_at
    refresh_expires_at INTEGER,
    user_id INTEGER NOT NULL,
    application_id INTEGER,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    rotated_at INTEGER,
    rotation_seed BLOB, -- with rotated_at
    revoked_at INTEGER -- together with the grant's
);

CREATE INDEX oauth_token_pairs_grant ON oauth_token_pairs (grant_id);

CREATE TABLE oauth_signing_keys (
    id INTEGER PRIMARY KEY,
    kid TEXT NOT NULL UNIQUE,
    algorithm TEXT NOT NULL,
    generation INTEGER NOT NULL,
    public_jwk TEXT NOT NULL,
    sealed BLOB NOT NULL, -- the private half, encrypted
    created_at INTEGER NOT NULL,
    signs_from INTEGER NOT NULL,
    UNIQUE (algorithm, generation) -- of nodes that rotate at the same time, one does
);
