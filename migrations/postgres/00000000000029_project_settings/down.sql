DROP INDEX pipelines_created;
DROP INDEX projects_merge_requests;
ALTER TABLE projects DROP COLUMN merge_requests_enabled;
ALTER TABLE namespaces DROP COLUMN settings;
ALTER TABLE projects DROP COLUMN settings;
