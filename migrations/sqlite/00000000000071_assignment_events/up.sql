-- crate: notifications
-- Messages to users about what is assigned to them, and what mentions them. Existing channels of users send them.
ALTER TABLE notification_channels ADD COLUMN assignment_events BOOLEAN NOT NULL DEFAULT 0;
UPDATE notification_channels SET assignment_events = 1 WHERE user_id IS NOT NULL;
-- Messages have new events (15 issue assigned, 16 alert assigned, 17 mention), subjects (7 issue, 8 alert, both in messages to users)
-- and states that say why a message was not sent (cancelled: 6 resolved, 7 acknowledged, 8 silenced, 9 obsolete, 10 channel off,
-- 11 no mail; dropped: 12 limited).
