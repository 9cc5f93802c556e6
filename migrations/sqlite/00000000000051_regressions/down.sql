-- crate: error-tracking
DROP INDEX errors_regressed;
