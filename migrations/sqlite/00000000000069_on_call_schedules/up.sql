-- crate: notifications
-- Schedules of a project by which its members take turns in being on call.
CREATE TABLE on_call_schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    created_at INTEGER NOT NULL,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL, -- of the IANA database
    handoff_time TEXT NOT NULL, -- local time, HH:MM
    first_handoff INTEGER NOT NULL, -- days since 1970-01-01
    turn_weeks INTEGER NOT NULL,
    participants TEXT NOT NULL, -- JSON: ids of users in the order of their turns
    updated_at INTEGER NOT NULL,
    UNIQUE (project_id, name)
);

-- Periods in which a user is on call instead of the one whose turn it is.
CREATE TABLE on_call_overrides (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES on_call_schedules (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    created_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL
);

-- The overrides of a schedule that end after a time.
CREATE INDEX on_call_overrides_schedule ON on_call_overrides (schedule_id, ends_at);
-- The overrides that ended before a time, which are deleted.
CREATE INDEX on_call_overrides_end ON on_call_overrides (ends_at);
