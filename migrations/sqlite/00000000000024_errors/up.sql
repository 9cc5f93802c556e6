-- crate: error-tracking
-- Error tracking: what projects want of it, the keys by which their programs report, and the errors.

CREATE TABLE error_settings (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id),
    active BOOLEAN NOT NULL,
    integrated BOOLEAN NOT NULL,
    api_url TEXT,
    project_name TEXT,
    token BLOB, -- sealed
    options TEXT NOT NULL -- a JSON object
);

CREATE TABLE error_client_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    public_key TEXT NOT NULL UNIQUE,
    active BOOLEAN NOT NULL,
    events_per_minute INTEGER,
    created_at INTEGER NOT NULL
);
CREATE INDEX error_client_keys_project ON error_client_keys (project_id, id);

-- The next number of each project's errors. Its row is also what a change of errors or of settings locks.
CREATE TABLE error_counters (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id),
    next_iid INTEGER NOT NULL
);

-- Which issues are about errors of an external tracker.
CREATE TABLE error_links (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    external_id INTEGER NOT NULL, -- the number of the error in the tracker
    issue_id INTEGER NOT NULL UNIQUE,
    PRIMARY KEY (project_id, external_id)
) WITHOUT ROWID;

-- What follows names projects without a foreign key: it is written with every request of a program, whose key has just been
-- found, and projects are not deleted under it.
CREATE TABLE errors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    iid INTEGER NOT NULL,
    status INTEGER NOT NULL, -- 0 unresolved, 1 resolved, 2 ignored
    terms TEXT, -- a JSON object: since which release it is resolved, or for how long it is ignored
    assignee_id INTEGER,
    issue_id INTEGER,
    title TEXT NOT NULL,
    culprit TEXT NOT NULL,
    location TEXT,
    level INTEGER NOT NULL,
    platform TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    events INTEGER NOT NULL,
    users INTEGER NOT NULL,
    first_release TEXT,
    last_release TEXT,
    regressed_at INTEGER
);
CREATE UNIQUE INDEX errors_iid ON errors (project_id, iid);
CREATE INDEX errors_id ON errors (project_id, id);
CREATE INDEX errors_last_seen ON errors (project_id, status, last_seen, iid);
CREATE INDEX errors_first_seen ON errors (project_id, status, first_seen, iid);
CREATE INDEX errors_events ON errors (project_id, status, events, iid);
CREATE INDEX errors_users ON errors (project_id, status, users, iid);
CREATE INDEX errors_issue ON errors (issue_id) WHERE issue_id IS NOT NULL;

-- What puts events together. An error has one, and those that were merged into it.
CREATE TABLE error_keys (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    group_key BLOB NOT NULL,
    error_id INTEGER NOT NULL,
    explanation TEXT NOT NULL, -- a JSON object
    first_seen INTEGER NOT NULL,
    events INTEGER NOT NULL,
    kept INTEGER NOT NULL
);
CREATE UNIQUE INDEX error_keys_key ON error_keys (project_id, group_key);
CREATE INDEX error_keys_error ON error_keys (error_id, id);

-- Events. One that is no longer kept has no body; its row says that it was stored.
CREATE TABLE error_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    key_id INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    number INTEGER NOT NULL, -- among the events of its key, from 0
    received_at INTEGER NOT NULL,
    occurred_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    level INTEGER NOT NULL,
    release TEXT,
    environment TEXT,
    body BLOB,
    shared_digest BLOB, -- the row of error_shared that belongs to the body, if one does
    shared BLOB -- or its bytes, where the key has too many rows there
);
-- What is looked for by an id comes first: a plan that was made for an empty table then has no other index to read.
CREATE UNIQUE INDEX error_events_event ON error_events (event_id, project_id);
CREATE INDEX error_events_key ON error_events (key_id, id) WHERE body IS NOT NULL;
CREATE INDEX error_events_received ON error_events (project_id, received_at);

-- What events of a key have in common: stack traces, modules.
CREATE TABLE error_shared (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    key_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    used_at INTEGER NOT NULL, -- no event that came more than a day later needs it
    body BLOB NOT NULL
);
CREATE UNIQUE INDEX error_shared_digest ON error_shared (key_id, digest);
CREATE INDEX error_shared_used ON error_shared (project_id, used_at);

CREATE TABLE error_hours (
    key_id INTEGER NOT NULL,
    hour INTEGER NOT NULL,
    events INTEGER NOT NULL,
    PRIMARY KEY (key_id, hour)
) WITHOUT ROWID;

CREATE TABLE error_users (
    key_id INTEGER NOT NULL,
    mark BLOB NOT NULL,
    PRIMARY KEY (key_id, mark)
) WITHOUT ROWID;

CREATE TABLE error_tags (
    key_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    project_id INTEGER NOT NULL,
    events INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    PRIMARY KEY (key_id, name, value)
) WITHOUT ROWID;
CREATE INDEX error_tags_value ON error_tags (project_id, name, value, key_id);

CREATE TABLE error_tallies (
    project_id INTEGER NOT NULL,
    day INTEGER NOT NULL, -- since 1970-01-01
    key_id INTEGER NOT NULL,
    category INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    quantity INTEGER NOT NULL,
    PRIMARY KEY (project_id, day, key_id, category, outcome)
) WITHOUT ROWID;

CREATE TABLE error_sessions (
    project_id INTEGER NOT NULL,
    day INTEGER NOT NULL, -- since 1970-01-01
    release TEXT NOT NULL,
    environment TEXT NOT NULL,
    started INTEGER NOT NULL,
    errored INTEGER NOT NULL,
    crashed INTEGER NOT NULL,
    abnormal INTEGER NOT NULL,
    PRIMARY KEY (project_id, day, release, environment)
) WITHOUT ROWID;
CREATE INDEX error_sessions_release ON error_sessions (project_id, release, day);

CREATE TABLE error_releases (
    project_id INTEGER NOT NULL,
    release TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    PRIMARY KEY (release, project_id)
) WITHOUT ROWID;
CREATE INDEX error_releases_seen ON error_releases (project_id, first_seen);

CREATE TABLE error_comments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    event_id BLOB,
    received_at INTEGER NOT NULL,
    name TEXT,
    email TEXT,
    text TEXT NOT NULL,
    url TEXT
);
CREATE INDEX error_comments_event ON error_comments (project_id, event_id, id);
CREATE INDEX error_comments_received ON error_comments (project_id, received_at);

CREATE TABLE error_attachments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    event_id BLOB NOT NULL,
    received_at INTEGER NOT NULL,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    kind TEXT NOT NULL,
    size INTEGER NOT NULL,
    body BLOB NOT NULL
);
CREATE INDEX error_attachments_event ON error_attachments (project_id, event_id, id);
CREATE INDEX error_attachments_received ON error_attachments (project_id, received_at);
