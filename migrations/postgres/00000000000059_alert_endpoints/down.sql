-- crate: alert-intake
ALTER TABLE alert_integrations DROP COLUMN retired_key_until;
ALTER TABLE alert_integrations DROP COLUMN retired_key_digest;
ALTER TABLE alert_integrations DROP COLUMN settings;
