-- crate: accounts
DROP INDEX audit_entries_created;
DROP INDEX audit_entries_kind;
ALTER TABLE audit_entries DROP COLUMN impersonator_id;
