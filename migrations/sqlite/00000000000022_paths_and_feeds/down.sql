DROP INDEX events_author;
ALTER TABLE projects DROP COLUMN open_confidential_issues;
ALTER TABLE projects DROP COLUMN open_issues;
DROP TABLE former_paths;
