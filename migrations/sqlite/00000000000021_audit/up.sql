-- crate: accounts
-- The audit log: who changed what power over what. It refers to no table, because it outlives what it names.
CREATE TABLE audit_entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_type INTEGER NOT NULL, -- 1 group, 2 project, 3 user
    entity_id INTEGER NOT NULL,
    author_id INTEGER, -- none: the server itself
    event_name INTEGER NOT NULL,
    target_type INTEGER,
    target_id INTEGER,
    target_name TEXT,
    details TEXT NOT NULL, -- a JSON object of texts, or nothing
    created_at INTEGER NOT NULL
);

-- The log of an entity in the order in which it is listed.
CREATE INDEX audit_entries_entity ON audit_entries (entity_type, entity_id, id);
