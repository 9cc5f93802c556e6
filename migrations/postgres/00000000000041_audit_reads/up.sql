-- crate: accounts
-- Administrator who acted as the author; NULL if nobody did.
ALTER TABLE audit_entries ADD COLUMN impersonator_id BIGINT;
-- Entries of one kind of entity, in the order in which they are listed.
CREATE INDEX audit_entries_kind ON audit_entries (entity_type, id);
-- Entries between two times.
CREATE INDEX audit_entries_created ON audit_entries (created_at);
