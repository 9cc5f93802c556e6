-- crate: accounts
-- The audit log: who changed what power over what. It refers to no table, because it outlives what it names.
CREATE TABLE audit_entries (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    entity_type SMALLINT NOT NULL, -- 1 group, 2 project, 3 user
    entity_id BIGINT NOT NULL,
    author_id BIGINT, -- none: the server itself
    event_name SMALLINT NOT NULL,
    target_type SMALLINT,
    target_id BIGINT,
    target_name TEXT,
    details TEXT NOT NULL, -- a JSON object of texts, or nothing
    created_at BIGINT NOT NULL
);

-- The log of an entity in the order in which it is listed.
CREATE INDEX audit_entries_entity ON audit_entries (entity_type, entity_id, id);
