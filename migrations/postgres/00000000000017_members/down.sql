DROP INDEX namespace_members_owners;
DROP INDEX namespace_members_expiry;
DROP INDEX project_members_expiry;
DROP TABLE project_shares;
ALTER TABLE namespace_members DROP COLUMN created_by;
ALTER TABLE project_members DROP COLUMN created_by;
