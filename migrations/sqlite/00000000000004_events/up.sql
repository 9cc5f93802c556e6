-- crate: events
-- The activity feed. It is ordered by id alone; ids rise with time.

CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    action INTEGER NOT NULL,
    target_type INTEGER,
    target_id INTEGER,
    target_iid INTEGER,
    target_title TEXT,
    audience INTEGER NOT NULL, -- the role that a reader needs; 0 for none
    created_at INTEGER NOT NULL
);

CREATE INDEX events_project ON events (project_id, id);

-- Readers below Developer see no entries about alerts. This index has only what they see, so their pages are as
-- cheap, and alert intake, which writes no such entries, does not pay for it.
CREATE INDEX events_project_everyone ON events (project_id, id) WHERE audience = 0;
