-- crate: events
-- The id of a deleted event never comes again: readers that follow the feed remember the last id. That is how sequences
-- are by default; this only states it.
ALTER SEQUENCE events_id_seq NO CYCLE;
