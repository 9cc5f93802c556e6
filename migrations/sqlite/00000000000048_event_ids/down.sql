-- crate: events
CREATE TABLE events_renewed (
    id INTEGER PRIMARY KEY,
    project_id INTEGER NOT NULL,
    author_id INTEGER NOT NULL,
    action INTEGER NOT NULL,
    target_type INTEGER,
    target_id INTEGER,
    target_iid INTEGER,
    target_title TEXT,
    audience INTEGER NOT NULL, -- the role that a reader needs; 0 for none
    created_at INTEGER NOT NULL,
    push_data TEXT -- a push, as a JSON object; NULL for other events
);
INSERT INTO events_renewed (id, project_id, author_id, action, target_type, target_id, target_iid, target_title, audience, created_at, push_data) SELECT id, project_id, author_id, action, target_type, target_id, target_iid, target_title, audience, created_at, push_data FROM events ORDER BY id;
DROP TABLE events;
ALTER TABLE events_renewed RENAME TO events;

CREATE INDEX events_project ON events (project_id, id, action, target_type, created_at);
CREATE INDEX events_project_everyone ON events (project_id, id) WHERE audience = 0;
CREATE INDEX events_project_reporters ON events (project_id, id) WHERE audience <= 20;
CREATE INDEX events_targets ON events (project_id, target_type, target_id) WHERE audience <= 20;
CREATE INDEX events_author ON events (author_id, id);
