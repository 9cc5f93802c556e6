-- crate: events
DELETE FROM events WHERE push_data IS NOT NULL;
ALTER TABLE events DROP COLUMN push_data;
