-- Lists of alerts by environment, and environments in the order of their names.

-- crate: alert-intake
-- For each status, environment, and severity of a project a list in each order. Alerts without an environment, which are most
-- where senders name none, are not in them. The first also has the names and the counts of the dashboard.
CREATE INDEX alerts_environment ON alerts (project_id, status, environment_name, severity, iid)
    WHERE environment_name IS NOT NULL;
CREATE INDEX alerts_environment_started ON alerts (project_id, status, environment_name, severity, started_at, iid)
    WHERE environment_name IS NOT NULL;
CREATE INDEX alerts_environment_updated ON alerts (project_id, status, environment_name, severity, updated_at, iid)
    WHERE environment_name IS NOT NULL;
CREATE INDEX alerts_environment_occurrences ON alerts (project_id, status, environment_name, severity, occurrences, iid)
    WHERE environment_name IS NOT NULL;

-- crate: pipelines
-- Environments of one state in the order of their names.
CREATE INDEX environments_state_name ON environments (project_id, state, name);
