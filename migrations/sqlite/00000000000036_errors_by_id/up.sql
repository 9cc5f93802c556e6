-- crate: error-tracking
-- The list of errors by id, of one state, and of all states as three such lists. What read the errors of a project by id alone
-- reads this index as well.
CREATE INDEX errors_status_id ON errors (project_id, status, id);
DROP INDEX errors_id;
