-- crate: alert-intake
-- Whose word the last start of an alert is, items that were skipped, and answers that are kept for retries.

-- Whether a sender named the last start. Otherwise it is the moment of an arrival, and an end before it proves nothing.
-- A process of before writes no value; what it writes counts as stated, as it counted then.
ALTER TABLE alerts ADD COLUMN last_start_stated BOOLEAN NOT NULL DEFAULT TRUE;

-- Of alerts that are open already: a start to the microsecond of the moment when the alert was made, or last changed, is
-- that arrival. Any other counts as stated: then an end is old news only when it names a start of its own that is older,
-- which a sender that names no starts never does.
UPDATE alerts SET last_start_stated = FALSE
WHERE closed_slot = 9223372036854775807
  AND (last_started_at = created_at OR last_started_at = updated_at);

ALTER TABLE alert_receipts ADD COLUMN skipped_alerts INTEGER NOT NULL DEFAULT 0;

-- The answers to POSTs that had an Idempotency-Key, for a day.
CREATE TABLE alert_kept_answers (
    id INTEGER PRIMARY KEY,
    integration_id INTEGER NOT NULL,
    key_digest BLOB NOT NULL, -- SHA-256 of the key
    body_digest BLOB NOT NULL, -- SHA-256 of the body
    alerts TEXT NOT NULL, -- a JSON array of [number, title]
    received_at INTEGER NOT NULL,
    UNIQUE (integration_id, key_digest)
);

-- For cleaning.
CREATE INDEX alert_kept_answers_received ON alert_kept_answers (received_at);
