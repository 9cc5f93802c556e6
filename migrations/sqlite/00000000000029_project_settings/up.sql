-- crate: projects
-- Settings that differ from their defaults, as a JSON object by their names. An older process writes none, so what it creates has the
-- defaults.
ALTER TABLE projects ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE namespaces ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
-- The one setting that lists are narrowed by.
ALTER TABLE projects ADD COLUMN merge_requests_enabled BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX projects_merge_requests ON projects (id) WHERE merge_requests_enabled;

-- crate: pipelines
-- The pipelines that were created in a range of time.
CREATE INDEX pipelines_created ON pipelines (project_id, created_at, id);
