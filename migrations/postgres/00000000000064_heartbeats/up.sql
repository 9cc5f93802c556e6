-- crate: alert-intake
-- Heartbeats of alert endpoints, from the first sign of life on.
CREATE TABLE alert_heartbeats (
    integration_id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    last_at BIGINT NOT NULL,
    patience BIGINT NOT NULL, -- seconds
    due_at BIGINT -- NULL once it is reported as missing
);

-- The heartbeats of a project.
CREATE INDEX alert_heartbeats_project ON alert_heartbeats (project_id);
-- The heartbeats that are due.
CREATE INDEX alert_heartbeats_due ON alert_heartbeats (due_at) WHERE due_at IS NOT NULL;
