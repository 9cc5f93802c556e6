-- crate: error-tracking
-- Error tracking: what projects want of it, the keys by which their programs report, and the errors.

CREATE TABLE error_settings (
    project_id BIGINT NOT NULL PRIMARY KEY REFERENCES projects (id),
    active BOOLEAN NOT NULL,
    integrated BOOLEAN NOT NULL,
    api_url TEXT,
    project_name TEXT,
    token BYTEA, -- sealed
    options TEXT NOT NULL -- a JSON object
);

CREATE TABLE error_client_keys (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id),
    public_key TEXT NOT NULL UNIQUE,
    active BOOLEAN NOT NULL,
    events_per_minute BIGINT,
    created_at BIGINT NOT NULL
);
CREATE INDEX error_client_keys_project ON error_client_keys (project_id, id);

-- The next number of each project's errors. Its row is also what a change of errors or of settings locks.
CREATE TABLE error_counters (
    project_id BIGINT NOT NULL PRIMARY KEY REFERENCES projects (id),
    next_iid BIGINT NOT NULL
);

-- Which issues are about errors of an external tracker.
CREATE TABLE error_links (
    project_id BIGINT NOT NULL REFERENCES projects (id),
    external_id BIGINT NOT NULL, -- the number of the error in the tracker
    issue_id BIGINT NOT NULL UNIQUE,
    PRIMARY KEY (project_id, external_id)
);

-- What follows names projects without a foreign key: it is written with every request of a program, whose key has just been
-- found, and projects are not deleted under it.
CREATE TABLE errors (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    iid BIGINT NOT NULL,
    status SMALLINT NOT NULL, -- 0 unresolved, 1 resolved, 2 ignored
    terms TEXT, -- a JSON object: since which release it is resolved, or for how long it is ignored
    assignee_id BIGINT,
    issue_id BIGINT,
    title TEXT NOT NULL,
    culprit TEXT NOT NULL,
    location TEXT,
    level SMALLINT NOT NULL,
    platform TEXT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    events BIGINT NOT NULL,
    users BIGINT NOT NULL,
    first_release TEXT,
    last_release TEXT,
    regressed_at BIGINT
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
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    group_key BYTEA NOT NULL,
    error_id BIGINT NOT NULL,
    explanation TEXT NOT NULL, -- a JSON object
    first_seen BIGINT NOT NULL,
    events BIGINT NOT NULL,
    kept BIGINT NOT NULL
);
CREATE UNIQUE INDEX error_keys_key ON error_keys (project_id, group_key);
CREATE INDEX error_keys_error ON error_keys (error_id, id);

-- Events. One that is no longer kept has no body; its row says that it was stored.
CREATE TABLE error_events (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    key_id BIGINT NOT NULL,
    event_id BYTEA NOT NULL,
    number BIGINT NOT NULL, -- among the events of its key, from 0
    received_at BIGINT NOT NULL,
    occurred_at BIGINT NOT NULL,
    title TEXT NOT NULL,
    level SMALLINT NOT NULL,
    release TEXT,
    environment TEXT,
    body BYTEA,
    shared_digest BYTEA, -- the row of error_shared that belongs to the body, if one does
    shared BYTEA -- or its bytes, where the key has too many rows there
);
-- Bodies are compressed already, so trying to compress them again only costs time.
ALTER TABLE error_events ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE error_events ALTER COLUMN shared SET STORAGE EXTERNAL;
-- What is looked for by an id comes first: a plan that was made for an empty table then has no other index to read.
CREATE UNIQUE INDEX error_events_event ON error_events (event_id, project_id);
CREATE INDEX error_events_key ON error_events (key_id, id) WHERE body IS NOT NULL;
CREATE INDEX error_events_received ON error_events (project_id, received_at);

-- What events of a key have in common: stack traces, modules.
CREATE TABLE error_shared (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    key_id BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    used_at BIGINT NOT NULL, -- no event that came more than a day later needs it
    body BYTEA NOT NULL
);
-- They are compressed already, too.
ALTER TABLE error_shared ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE UNIQUE INDEX error_shared_digest ON error_shared (key_id, digest);
CREATE INDEX error_shared_used ON error_shared (project_id, used_at);

CREATE TABLE error_hours (
    key_id BIGINT NOT NULL,
    hour BIGINT NOT NULL,
    events BIGINT NOT NULL,
    PRIMARY KEY (key_id, hour)
);

CREATE TABLE error_users (
    key_id BIGINT NOT NULL,
    mark BYTEA NOT NULL,
    PRIMARY KEY (key_id, mark)
);

CREATE TABLE error_tags (
    key_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    project_id BIGINT NOT NULL,
    events BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    PRIMARY KEY (key_id, name, value)
);
CREATE INDEX error_tags_value ON error_tags (project_id, name, value, key_id);

CREATE TABLE error_tallies (
    project_id BIGINT NOT NULL,
    day BIGINT NOT NULL, -- since 1970-01-01
    key_id BIGINT NOT NULL,
    category SMALLINT NOT NULL,
    outcome SMALLINT NOT NULL,
    quantity BIGINT NOT NULL,
    PRIMARY KEY (project_id, day, key_id, category, outcome)
);

CREATE TABLE error_sessions (
    project_id BIGINT NOT NULL,
    day BIGINT NOT NULL, -- since 1970-01-01
    release TEXT NOT NULL,
    environment TEXT NOT NULL,
    started BIGINT NOT NULL,
    errored BIGINT NOT NULL,
    crashed BIGINT NOT NULL,
    abnormal BIGINT NOT NULL,
    PRIMARY KEY (project_id, day, release, environment)
);
CREATE INDEX error_sessions_release ON error_sessions (project_id, release, day);

CREATE TABLE error_releases (
    project_id BIGINT NOT NULL,
    release TEXT NOT NULL,
    first_seen BIGINT NOT NULL,
    PRIMARY KEY (release, project_id)
);
CREATE INDEX error_releases_seen ON error_releases (project_id, first_seen);

CREATE TABLE error_comments (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    event_id BYTEA,
    received_at BIGINT NOT NULL,
    name TEXT,
    email TEXT,
    text TEXT NOT NULL,
    url TEXT
);
CREATE INDEX error_comments_event ON error_comments (project_id, event_id, id);
CREATE INDEX error_comments_received ON error_comments (project_id, received_at);

CREATE TABLE error_attachments (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL,
    event_id BYTEA NOT NULL,
    received_at BIGINT NOT NULL,
    filename TEXT NOT NULL,
    content_type TEXT NOT NULL,
    kind TEXT NOT NULL,
    size BIGINT NOT NULL,
    body BYTEA NOT NULL
);
CREATE INDEX error_attachments_event ON error_attachments (project_id, event_id, id);
CREATE INDEX error_attachments_received ON error_attachments (project_id, received_at);
