-- crate: events
-- Push of an event, as a JSON object: the ref with its commits, or the number of refs of a bulk push. NULL for other events.
ALTER TABLE events ADD COLUMN push_data TEXT;
