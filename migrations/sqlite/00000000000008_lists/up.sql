-- Lists that find their rows in indexes, and searches that need not read every alert.

-- crate: alert-intake
-- For each status and severity of a project a list in the order of the numbers. Filters merge the lists that they take.
CREATE INDEX alerts_kinds ON alerts (project_id, status, severity, iid);

-- What a search needs to know of a project's alerts: for each part of them, and each slot that a sequence of
-- characters falls into, in which blocks of the part it occurs. Filled some time after the alerts were stored.
CREATE TABLE alert_search (
    project_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    blocks BLOB NOT NULL, -- a bit for each block
    PRIMARY KEY (project_id, part, slot)
) WITHOUT ROWID;

-- How many parts of a project's alerts are prepared for searches.
CREATE TABLE alert_search_progress (
    project_id INTEGER NOT NULL PRIMARY KEY,
    parts INTEGER NOT NULL
);

-- crate: events
-- The feed's index holds what its filters ask for, so that a filter with few hits reads no rows but these.
DROP INDEX events_project;
CREATE INDEX events_project ON events (project_id, id, action, target_type, created_at);

-- crate: projects
-- Orders of projects. Both moments change seldom: that of activity at most once an hour.
CREATE INDEX projects_updated ON projects (updated_at, id);
CREATE INDEX projects_activity ON projects (last_activity_at, id);
