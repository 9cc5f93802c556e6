-- crate: alert-intake
-- The newest report of an alert beside its first one.

-- Digest of the newest report. Of alerts from before it is not known, so the next report counts as a new one.
ALTER TABLE alerts ADD COLUMN report_digest INTEGER NOT NULL DEFAULT 0;

-- Times in a row that the alert fired again within an hour of its end.
ALTER TABLE alerts ADD COLUMN flaps INTEGER NOT NULL DEFAULT 0;

-- Time at which the open alert becomes stale if nothing else is reported; NULL if silence means nothing.
ALTER TABLE alerts ADD COLUMN stale_at INTEGER;

-- Severity according to the sender; NULL if it is that of the alert.
ALTER TABLE alerts ADD COLUMN reported_severity INTEGER;

-- True if the searched texts changed since the alert was stored, and the search index may lack the new ones.
ALTER TABLE alerts ADD COLUMN texts_changed BOOLEAN NOT NULL DEFAULT FALSE;

-- Payload of the newest report, if one since the first says something else.
ALTER TABLE alerts ADD COLUMN latest_payload TEXT;

-- Alerts that searches read whatever the index says. The columns are those of the index of numbers, so that the planner
-- prefers the smaller one.
CREATE INDEX alerts_texts_changed ON alerts (project_id, iid) WHERE texts_changed;
-- The resolved ones among them, whose new texts are to be indexed.
CREATE INDEX alerts_texts_final ON alerts (project_id, iid) WHERE texts_changed AND status = 2;
