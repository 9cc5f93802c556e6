-- crate: alert-intake
DROP INDEX alerts_texts_final;
DROP INDEX alerts_texts_changed;
ALTER TABLE alerts DROP COLUMN latest_payload;
ALTER TABLE alerts DROP COLUMN texts_changed;
ALTER TABLE alerts DROP COLUMN reported_severity;
ALTER TABLE alerts DROP COLUMN stale_at;
ALTER TABLE alerts DROP COLUMN flaps;
ALTER TABLE alerts DROP COLUMN report_digest;
