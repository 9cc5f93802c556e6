-- Lists of alerts in every order that a page offers, and what a report of a status looks for.

-- crate: alert-intake
-- For each status and severity of a project a list in each order. Filters merge the lists that they take.
CREATE INDEX alerts_started ON alerts (project_id, status, severity, started_at, iid);
CREATE INDEX alerts_updated ON alerts (project_id, status, severity, updated_at, iid);
CREATE INDEX alerts_occurrences ON alerts (project_id, status, severity, occurrences, iid);

-- crate: pipelines
-- The newest pipeline of a commit on a branch. Neither the pipelines of the branch nor those of the commit are walked for it.
CREATE INDEX pipelines_commit ON pipelines (project_id, sha, reference, id);
