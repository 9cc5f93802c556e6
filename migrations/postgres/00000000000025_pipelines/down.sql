DROP TABLE ci_jobs;
DROP TABLE pipeline_variables;
DROP TABLE pipelines;
DROP TABLE deployments;
DROP TABLE environments;
DROP TABLE ci_counters;
