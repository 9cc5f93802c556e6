-- crate: error-tracking
-- The list of errors by id, of one state, and of all states as three such lists. What read the errors of a project by id alone
-- reads this index as well.
CREATE INDEX errors_status_id ON errors (project_id, status, id);
DROP INDEX errors_id;

-- Former numbers of errors that were merged, with the error that has their events.
CREATE TABLE error_redirects (
    id BIGINT NOT NULL PRIMARY KEY,
    project_id BIGINT NOT NULL,
    iid BIGINT NOT NULL,
    error_id BIGINT NOT NULL
);
CREATE UNIQUE INDEX error_redirects_iid ON error_redirects (project_id, iid);
CREATE INDEX error_redirects_error ON error_redirects (error_id);
