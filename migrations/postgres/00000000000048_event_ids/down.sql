-- crate: events
ALTER SEQUENCE events_id_seq NO CYCLE;
