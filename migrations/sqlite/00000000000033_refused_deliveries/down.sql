DROP INDEX alert_receipts_refused;
ALTER TABLE alert_receipts DROP COLUMN further_refusals;
ALTER TABLE alert_receipts DROP COLUMN refusal;
