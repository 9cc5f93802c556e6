-- crate: notifications
-- Channels through which projects tell people and programs about alerts and incidents.
CREATE TABLE notification_channels (
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

-- The channels that are due, in their order.
CREATE INDEX notification_channels_due ON notification_channels (due_at, id) WHERE due_at IS NOT NULL;
-- The channels that will look at their queue, those with the most failures first.
CREATE INDEX notification_channels_waiting ON notification_channels (failures DESC, due_at, id) WHERE due_at IS NOT NULL;

-- Messages to channels. They outlive their channel.
CREATE TABLE notification_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL,
    channel_id INTEGER NOT NULL,
    event INTEGER NOT NULL,
    subject_kind INTEGER NOT NULL, -- 0 none, 1 alert, 2 incident, 3 error
    subject_id INTEGER NOT NULL,
    content TEXT NOT NULL, -- JSON
    state INTEGER NOT NULL, -- 0 queued, 1 sending, 2 sent, 3 failed, 4 cancelled, 5 dropped
    attempts INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    send_at INTEGER NOT NULL,
    finished_at INTEGER -- NULL while the message may still be sent
);

-- A project's messages, and those of one of its channels, in the order in which they are listed.
CREATE INDEX notification_messages_project ON notification_messages (project_id, id);
CREATE INDEX notification_messages_channel ON notification_messages (project_id, channel_id, id);
-- The queue of a channel.
CREATE INDEX notification_messages_pending ON notification_messages (channel_id, send_at, id) WHERE finished_at IS NULL;
-- The messages that a channel sent since a time.
CREATE INDEX notification_messages_sent ON notification_messages (channel_id, state, finished_at);
-- The messages about an alert, an incident or an error.
CREATE INDEX notification_messages_subject ON notification_messages (subject_id, subject_kind);
-- The messages that ended before a time, which are deleted.
CREATE INDEX notification_messages_finished ON notification_messages (finished_at) WHERE finished_at IS NOT NULL;

-- Attempts to deliver messages.
CREATE TABLE notification_attempts (
    message_id INTEGER NOT NULL REFERENCES notification_messages (id) ON DELETE CASCADE,
    number INTEGER NOT NULL, -- within the message, from 1
    at INTEGER NOT NULL,
    millis INTEGER NOT NULL,
    outcome INTEGER NOT NULL, -- 0 delivered, 1 failed, 2 rejected, 3 gone
    status INTEGER, -- of the HTTP response
    detail TEXT NOT NULL,
    PRIMARY KEY (message_id, number)
);
