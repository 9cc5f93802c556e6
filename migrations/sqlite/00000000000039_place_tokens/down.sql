DELETE FROM access_tokens WHERE place_id IS NOT NULL;
-- What the bots wrote keeps its author.
UPDATE users SET kind = 0, blocked_at = coalesce(blocked_at, created_at) WHERE kind IN (2, 3);
DROP INDEX users_alert_bot;
CREATE UNIQUE INDEX users_bots ON users (kind) WHERE kind <> 0;
DROP INDEX access_tokens_place;
ALTER TABLE access_tokens DROP COLUMN place_id;
