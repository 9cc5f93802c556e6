-- crate: projects
-- Labels of projects.

CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    description TEXT,
    color TEXT NOT NULL, -- #rrggbb
    priority INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

-- A title is taken once in a project, and its labels are listed in this order.
CREATE UNIQUE INDEX labels_title ON labels (project_id, title);
