-- crate: alert-intake
-- Alerts, the endpoints that receive them, and the receipts of what came.

CREATE TABLE alert_integrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    source INTEGER NOT NULL, -- 0 generic, 1 metrics
    name TEXT NOT NULL,
    endpoint_identifier TEXT NOT NULL,
    active BOOLEAN NOT NULL,
    key_digest BLOB NOT NULL, -- SHA-256 of the authorization key
    created_at INTEGER NOT NULL,
    UNIQUE (project_id, endpoint_identifier)
);

-- The next number of each project's alerts. Its row is also what intake locks.
CREATE TABLE alert_counters (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id),
    next_iid INTEGER NOT NULL
);

-- Alerts, receipts and feed entries are written with every POST. They name projects and endpoints without a
-- foreign key: the closure that writes them has just read both, and projects are not deleted under them.
CREATE TABLE alerts (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    iid INTEGER NOT NULL,
    integration_id INTEGER NOT NULL,
    identity BLOB NOT NULL,
    closed_slot INTEGER NOT NULL, -- the largest number while open, the alert's own id when resolved
    source INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL,
    severity INTEGER NOT NULL, -- 0 critical to 5 unknown
    status INTEGER NOT NULL, -- 0 triggered, 1 acknowledged, 2 resolved, 3 ignored
    service TEXT NOT NULL,
    monitoring_tool TEXT NOT NULL,
    hosts TEXT NOT NULL, -- a JSON array
    environment_name TEXT,
    started_at INTEGER NOT NULL,
    last_started_at INTEGER NOT NULL,
    ended_at INTEGER,
    occurrences INTEGER NOT NULL,
    deliveries INTEGER NOT NULL,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

-- One open alert of an identity, and the way to the latest alert of an identity, in one index.
CREATE UNIQUE INDEX alerts_identity ON alerts (project_id, identity, closed_slot);
CREATE UNIQUE INDEX alerts_iid ON alerts (project_id, iid);

CREATE TABLE alert_receipts (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    integration_id INTEGER NOT NULL,
    received_at INTEGER NOT NULL,
    body_bytes INTEGER NOT NULL,
    created INTEGER NOT NULL,
    counted INTEGER NOT NULL,
    resolved INTEGER NOT NULL,
    repeated INTEGER NOT NULL,
    user_agent TEXT,
    group_key TEXT,
    truncated_alerts INTEGER NOT NULL,
    notes TEXT NOT NULL -- a JSON array
);

CREATE INDEX alert_receipts_project ON alert_receipts (project_id, id);

-- The next id of an alert: ids are reserved in blocks before the rows are written.
CREATE TABLE alert_ids (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    next_id INTEGER NOT NULL
);

INSERT INTO alert_ids (id, next_id) VALUES (1, 1);
