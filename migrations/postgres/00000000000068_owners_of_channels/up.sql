-- crate: notifications
-- Channels of users, and mailboxes of the server, beside the channels of projects. The project of a message about an account
-- is 0.
ALTER TABLE notification_channels ALTER COLUMN project_id DROP NOT NULL;
ALTER TABLE notification_channels ADD COLUMN user_id BIGINT REFERENCES users (id);
ALTER TABLE notification_channels ADD UNIQUE (user_id, name);
-- The mailboxes of the server, by their address and in the order in which they are deleted.
CREATE UNIQUE INDEX notification_channels_mailbox ON notification_channels (name) WHERE COALESCE(project_id, user_id) IS NULL;
CREATE INDEX notification_channels_mailbox_age ON notification_channels (created_at) WHERE COALESCE(project_id, user_id) IS NULL;
-- The messages of a channel, in the order in which they are listed.
DROP INDEX notification_messages_channel;
CREATE INDEX notification_messages_channel ON notification_messages (channel_id, id);
-- The messages that a channel sent (2) since a time.
DROP INDEX notification_messages_sent;
CREATE INDEX notification_messages_sent ON notification_messages (channel_id, finished_at) WHERE state = 2;
-- crate: accounts
-- Tokens whose expiry was announced to their users, and an index of the others.
ALTER TABLE access_tokens ADD COLUMN expiry_announced BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX access_tokens_expiring ON access_tokens (expires_on) WHERE revoked_at IS NULL AND NOT expiry_announced;
