-- crate: notifications
DROP INDEX notification_channels_mailbox;
DROP INDEX notification_channels_mailbox_age;
DELETE FROM notification_channels WHERE project_id IS NULL;
ALTER TABLE notification_channels DROP COLUMN user_id;
ALTER TABLE notification_channels ALTER COLUMN project_id SET NOT NULL;
DROP INDEX notification_messages_channel;
CREATE INDEX notification_messages_channel ON notification_messages (project_id, channel_id, id);
DROP INDEX notification_messages_sent;
CREATE INDEX notification_messages_sent ON notification_messages (channel_id, state, finished_at);
-- crate: accounts
DROP INDEX access_tokens_expiring;
ALTER TABLE access_tokens DROP COLUMN expiry_announced;
