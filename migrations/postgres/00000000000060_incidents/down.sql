-- crate: alert-intake
DROP TABLE alert_incidents;
DROP TABLE incident_settings;
