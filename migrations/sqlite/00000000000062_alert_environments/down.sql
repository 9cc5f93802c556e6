-- crate: pipelines
DROP INDEX environments_state_name;

-- crate: alert-intake
DROP INDEX alerts_environment_occurrences;
DROP INDEX alerts_environment_updated;
DROP INDEX alerts_environment_started;
DROP INDEX alerts_environment;
