-- crate: events
DROP TABLE contributions;
