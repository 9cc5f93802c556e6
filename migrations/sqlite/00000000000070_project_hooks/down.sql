-- crate: notifications
ALTER TABLE notification_channels DROP COLUMN confidential_note_events;
ALTER TABLE notification_channels DROP COLUMN note_events;
ALTER TABLE notification_channels DROP COLUMN confidential_issue_events;
ALTER TABLE notification_channels DROP COLUMN issue_events;
ALTER TABLE notification_channels DROP COLUMN description;
