-- crate: notifications
-- Messages to users about what is assigned to them, and what mentions them. Existing channels of users send them.
ALTER TABLE notification_channels ADD COLUMN assignment_events BOOLEAN NOT NULL DEFAULT 0;
UPDATE notification_channels SET assignment_events = 1 WHERE user_id IS NOT NULL;
