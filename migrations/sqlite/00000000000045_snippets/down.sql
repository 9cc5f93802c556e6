-- crate: projects
DELETE FROM spam_logs WHERE snippet_id IS NOT NULL;
ALTER TABLE spam_logs DROP COLUMN snippet_id;
DROP TABLE snippet_files;
DROP TABLE snippets;
