-- crate: notifications
CREATE TABLE notification_channels_renewed (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
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
    UNIQUE (project_id, name)
);
INSERT INTO notification_channels_renewed (id, project_id, kind, created_at, secret, name, url, recipient, alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, quiet_hours, updated_at, due_at, is_waiting, failures, dropped) SELECT id, project_id, kind, created_at, secret, name, url, recipient, alert_events, incident_events, error_events, minimum_severity, is_active, delay_minutes, repeat_minutes, hourly_limit, quiet_hours, updated_at, due_at, is_waiting, failures, dropped FROM notification_channels WHERE project_id IS NOT NULL ORDER BY id;
INSERT INTO sqlite_sequence (name, seq) SELECT 'notification_channels_renewed', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notification_channels_renewed');
UPDATE sqlite_sequence SET seq = COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'notification_channels'), 0) WHERE name = 'notification_channels_renewed';
DROP TABLE notification_channels;
ALTER TABLE notification_channels_renewed RENAME TO notification_channels;

CREATE INDEX notification_channels_due ON notification_channels (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX notification_channels_waiting ON notification_channels (failures DESC, due_at, id) WHERE due_at IS NOT NULL;
DROP INDEX notification_messages_channel;
CREATE INDEX notification_messages_channel ON notification_messages (project_id, channel_id, id);
DROP INDEX notification_messages_sent;
CREATE INDEX notification_messages_sent ON notification_messages (channel_id, state, finished_at);
-- crate: accounts
DROP INDEX access_tokens_expiring;
ALTER TABLE access_tokens DROP COLUMN expiry_announced;
