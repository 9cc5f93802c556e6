-- crate: alert-intake
DROP TABLE alert_expiries;
DROP TABLE alert_silences;
