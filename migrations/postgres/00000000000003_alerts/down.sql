DROP TABLE alert_receipts;
DROP TABLE alerts;
DROP TABLE alert_counters;
DROP TABLE alert_integrations;
DROP SEQUENCE alert_ids;
