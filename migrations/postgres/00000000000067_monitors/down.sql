-- crate: error-tracking
DROP TABLE monitors;
