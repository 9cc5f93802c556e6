-- crate: notifications
-- Channels of users, and mailboxes of the server, beside the channels of projects. The project of a message about an account
-- is 0.
CREATE TABLE notification_channels_renewed (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER REFERENCES projects (id),
    user_id INTEGER REFERENCES users (id),
    kind INTEGER NOT NULL, -- 0 e-mail, 1 webhook, 2 Slack, 3 Matrix, 4 ntfy
    created_at INTEGER NOT NULL,
    secret BLOB, -- encrypted
    name TEXT NOT NULL,
    url TEXT NOT NULL,
    recipient TEXT NOT NULL,
    alert_events BOOLEAN NOT NULL,
    incident_events BOOLEAN NOT NULL,
    error_events BOOLEAN NOT NULL,
    minimum_severity INTEGER NOT NULL,
    is_active BOOLEAN NOT NULL,
    delay_minutes INTEGER NOT NULL,
    repeat_minutes INTEGER NOT NULL, -- 0 for no reminders
    hourly_limit INTEGER NOT NULL,
    quiet_hours TEXT, -- JSON; NULL for none
    updated_at INTEGER NOT NULL,
    due_at INTEGER, -- NULL while nothing waits
    is_waiting BOOLEAN NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    dropped INTEGER NOT NULL DEFAULT 0,
    UNIQUE (project_id, name),
    UNIQUE (user_id, name)
);
INSERT INTO notification_channels_renewed (id, project_id, kind, created_at, secret, name, url, recipient, alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, quiet_hours, updated_at, due_at, is_waiting, failures, dropped) SELECT id, project_id, kind, created_at, secret, name, url, recipient, alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, quiet_hours, updated_at, due_at, is_waiting, failures, dropped FROM notification_channels ORDER BY id;
-- The ids of deleted channels never come again.
INSERT INTO sqlite_sequence (name, seq) SELECT 'notification_channels_renewed', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notification_channels_renewed');
UPDATE sqlite_sequence SET seq = COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'notification_channels'), 0) WHERE name = 'notification_channels_renewed';
DROP TABLE notification_channels;
ALTER TABLE notification_channels_renewed RENAME TO notification_channels;

CREATE INDEX notification_channels_due ON notification_channels (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX notification_channels_waiting ON notification_channels (failures DESC, due_at, id) WHERE due_at IS NOT NULL;
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
ALTER TABLE access_tokens ADD COLUMN expiry_announced BOOLEAN NOT NULL DEFAULT 0;
CREATE INDEX access_tokens_expiring ON access_tokens (expires_on) WHERE revoked_at IS NULL AND NOT expiry_announced;
