DROP INDEX pipelines_commit;
DROP INDEX alerts_occurrences;
DROP INDEX alerts_updated;
DROP INDEX alerts_started;
