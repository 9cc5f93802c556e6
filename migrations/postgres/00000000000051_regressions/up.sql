-- crate: error-tracking
-- Errors of each project that regressed, the latest first. A decision of a user ends a regression. The index has the
-- columns of its condition, so that SQLite reads no rows to find them.
CREATE INDEX errors_regressed ON errors (project_id, status, regressed_at, iid) WHERE regressed_at IS NOT NULL;
