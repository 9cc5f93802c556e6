-- crate: alert-intake
-- Actions of users on alerts.

-- User assigned to an alert, if any.
ALTER TABLE alerts ADD COLUMN assignee_id INTEGER;

-- The alerts of an assignee, for lists and for the deletion of the user.
CREATE INDEX alerts_assignee ON alerts (assignee_id, project_id, status, severity, iid) WHERE assignee_id IS NOT NULL;

-- True if a user resolved the alert, and its sender has not reported the end. Of alerts that are resolved already, it is
-- not known, and counts as false.
ALTER TABLE alerts ADD COLUMN resolved_by_hand BOOLEAN NOT NULL DEFAULT FALSE;
