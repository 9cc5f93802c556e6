-- crate: alert-intake
ALTER TABLE alerts DROP COLUMN resolved_by_hand;
DROP INDEX alerts_assignee;
ALTER TABLE alerts DROP COLUMN assignee_id;
