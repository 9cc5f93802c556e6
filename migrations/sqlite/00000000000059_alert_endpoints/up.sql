-- crate: alert-intake
-- Rules of an endpoint for its payloads, as JSON, and the key that its last rotation replaced.

ALTER TABLE alert_integrations ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE alert_integrations ADD COLUMN retired_key_digest BLOB; -- SHA-256 of the key
ALTER TABLE alert_integrations ADD COLUMN retired_key_until INTEGER;
