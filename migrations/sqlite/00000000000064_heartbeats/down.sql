-- crate: alert-intake
DROP TABLE alert_heartbeats;
