-- crate: error-tracking
-- Monitors: jobs that check in with each run, at most a hundred of a project.
CREATE TABLE monitors (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    slug TEXT NOT NULL,
    environment TEXT NOT NULL,
    due_at INTEGER, -- NULL while nothing is expected
    state TEXT NOT NULL, -- JSON
    UNIQUE (project_id, slug, environment)
);

-- The monitors that are due.
CREATE INDEX monitors_due ON monitors (due_at, id) WHERE due_at IS NOT NULL;
