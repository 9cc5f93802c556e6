DROP INDEX projects_activity;
DROP INDEX projects_updated;
ALTER TABLE events DROP CONSTRAINT events_pkey, ADD PRIMARY KEY (project_id, id);
DROP TABLE alert_search_progress;
DROP TABLE alert_search;
DROP INDEX alerts_kinds;
