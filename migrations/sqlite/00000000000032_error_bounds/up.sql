-- crate: error-tracking
-- The rows of events that are no longer kept: the latest of each key say that an event came before, and the others are deleted.
CREATE INDEX error_events_spent ON error_events (key_id, number) WHERE body IS NULL;

-- What no request has deleted yet, because it was stored before rows were bounded.
DELETE FROM error_comments WHERE id IN (
    SELECT c.id FROM error_keys AS k
    JOIN error_events AS e ON e.key_id = k.id AND e.body IS NULL AND e.number < k.events - 10000
    JOIN error_comments AS c ON c.project_id = e.project_id AND c.event_id = e.event_id
    WHERE k.events > 10000
);
DELETE FROM error_attachments WHERE id IN (
    SELECT a.id FROM error_keys AS k
    JOIN error_events AS e ON e.key_id = k.id AND e.body IS NULL AND e.number < k.events - 10000
    JOIN error_attachments AS a ON a.project_id = e.project_id AND a.event_id = e.event_id
    WHERE k.events > 10000
);
DELETE FROM error_events WHERE id IN (
    SELECT e.id FROM error_keys AS k
    JOIN error_events AS e ON e.key_id = k.id AND e.body IS NULL AND e.number < k.events - 10000
    WHERE k.events > 10000
);
