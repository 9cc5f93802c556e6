-- crate: projects
-- The last number that a milestone of the project got. Every write of milestones locks the project by it.
ALTER TABLE projects ADD COLUMN last_milestone_iid INTEGER NOT NULL DEFAULT 0;

CREATE TABLE milestones (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    state INTEGER NOT NULL, -- 0 active, 1 closed
    start_date INTEGER, -- days since 1970-01-01
    due_date INTEGER,
    UNIQUE (project_id, iid),
    UNIQUE (project_id, title)
);

-- A project's milestones in the order in which they are listed.
CREATE INDEX milestones_project ON milestones (project_id, id);
