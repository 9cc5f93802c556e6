-- crate: notifications
-- Hooks of projects (kind 5): a description, and the events that they report beside alerts.
ALTER TABLE notification_channels ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE notification_channels ADD COLUMN issue_events BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE notification_channels ADD COLUMN confidential_issue_events BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE notification_channels ADD COLUMN note_events BOOLEAN NOT NULL DEFAULT 0;
ALTER TABLE notification_channels ADD COLUMN confidential_note_events BOOLEAN NOT NULL DEFAULT 0;
