-- crate: alert-intake
-- Settings for incidents of projects that have changed them.
CREATE TABLE incident_settings (
    project_id BIGINT PRIMARY KEY,
    create_incidents BOOLEAN NOT NULL,
    severities SMALLINT NOT NULL, -- a bit for each number of a severity
    template TEXT NOT NULL,
    close_incidents BOOLEAN NOT NULL
);

-- Incidents of alerts. An incident is an issue, which another crate keeps.
CREATE TABLE alert_incidents (
    alert_id BIGINT PRIMARY KEY,
    project_id BIGINT NOT NULL,
    issue_id BIGINT NOT NULL
);

-- The alerts of an incident.
CREATE UNIQUE INDEX alert_incidents_issue ON alert_incidents (issue_id, alert_id);
-- The links of a project that is deleted.
CREATE INDEX alert_incidents_project ON alert_incidents (project_id);
