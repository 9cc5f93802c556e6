DROP INDEX projects_activity;
DROP INDEX projects_updated;
DROP INDEX events_project;
CREATE INDEX events_project ON events (project_id, id);
DROP TABLE alert_search_progress;
DROP TABLE alert_search;
DROP INDEX alerts_kinds;
