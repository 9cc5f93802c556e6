-- crate: alert-intake
-- Receipts of deliveries that were refused.

-- A JSON object with the status, the reason, the start of the body and the network of the sender; NULL for what was stored. A
-- process of before writes no value.
ALTER TABLE alert_receipts ADD COLUMN refusal TEXT;
-- Later refusals of the same endpoint that left no receipt of their own.
ALTER TABLE alert_receipts ADD COLUMN further_refusals INTEGER NOT NULL DEFAULT 0;

-- The latest refusals of an endpoint, which bound how many get a receipt.
CREATE INDEX alert_receipts_refused ON alert_receipts (integration_id, received_at, id) WHERE refusal IS NOT NULL;
