DROP TABLE error_redirects;
CREATE INDEX errors_id ON errors (project_id, id);
DROP INDEX errors_status_id;
