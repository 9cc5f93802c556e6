-- crate: alert-intake
-- Times during which nobody hears of certain alerts of a project.
CREATE TABLE alert_silences (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    matchers TEXT NOT NULL, -- JSON
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    created_by TEXT NOT NULL,
    comment TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    due_at INTEGER -- NULL once the end is dealt with
);

-- The silences of a project, those that end last first.
CREATE INDEX alert_silences_project ON alert_silences (project_id, ends_at, id);
-- The silences that begin or end.
CREATE INDEX alert_silences_due ON alert_silences (due_at, id) WHERE due_at IS NOT NULL;
-- The silences that are over, by their end.
CREATE INDEX alert_silences_over ON alert_silences (ends_at) WHERE due_at IS NULL;

-- Times at which alerts are over unless they are reported again.
CREATE TABLE alert_expiries (
    project_id INTEGER NOT NULL,
    identity BLOB NOT NULL,
    integration_id INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, identity)
) WITHOUT ROWID;

-- The expiries that are due.
CREATE INDEX alert_expiries_due ON alert_expiries (expires_at);
