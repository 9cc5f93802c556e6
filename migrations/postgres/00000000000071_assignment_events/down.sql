DELETE FROM notification_messages WHERE event IN (15, 16, 17);
UPDATE notification_messages SET state = 4 WHERE state BETWEEN 6 AND 11;
UPDATE notification_messages SET state = 5 WHERE state = 12;
ALTER TABLE notification_channels DROP COLUMN assignment_events;
