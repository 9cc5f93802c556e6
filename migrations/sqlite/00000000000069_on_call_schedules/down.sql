-- crate: notifications
DROP TABLE on_call_overrides;
DROP TABLE on_call_schedules;
