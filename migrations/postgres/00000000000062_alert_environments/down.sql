-- crate: pipelines
DROP INDEX environments_state_name;
ALTER TABLE environments ALTER COLUMN name TYPE TEXT COLLATE "default";

-- crate: alert-intake
DROP INDEX alerts_environment_occurrences;
DROP INDEX alerts_environment_updated;
DROP INDEX alerts_environment_started;
DROP INDEX alerts_environment;
ALTER TABLE alerts ALTER COLUMN environment_name TYPE TEXT COLLATE "default";
