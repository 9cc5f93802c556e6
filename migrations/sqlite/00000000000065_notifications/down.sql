-- crate: notifications
DROP TABLE notification_attempts;
DROP TABLE notification_messages;
DROP TABLE notification_channels;
