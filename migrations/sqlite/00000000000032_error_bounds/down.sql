DROP INDEX error_events_spent;
