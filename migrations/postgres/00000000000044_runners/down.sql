-- crate: pipelines
DROP TABLE runner_registration_tokens;
DROP TABLE runner_places;
DROP TABLE runners;
