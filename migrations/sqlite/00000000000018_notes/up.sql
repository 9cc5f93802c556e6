-- crate: projects
-- Notes on issues and alerts. What is deleted takes its notes with it.

CREATE TABLE notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    noteable_type INTEGER NOT NULL, -- 0 issue, 1 alert
    noteable_id INTEGER NOT NULL,
    noteable_iid INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    system BOOLEAN NOT NULL,
    internal BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    updated_at INTEGER NOT NULL
);

-- The orders of lists. A note is looked for in its place, too.
CREATE INDEX notes_created ON notes (noteable_type, noteable_id, created_at, id);
CREATE INDEX notes_updated ON notes (noteable_type, noteable_id, updated_at, id);
-- What people wrote, by id, so that the feed can follow.
CREATE INDEX notes_comments ON notes (noteable_type, noteable_id, id) WHERE NOT system;
-- What goes with a project.
CREATE INDEX notes_project ON notes (project_id, id);
