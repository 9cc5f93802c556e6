DROP TABLE alert_kept_answers;
ALTER TABLE alert_receipts DROP COLUMN skipped_alerts;
ALTER TABLE alerts DROP COLUMN last_start_stated;
