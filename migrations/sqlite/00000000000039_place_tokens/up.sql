-- crate: accounts
-- Kind 2 is a token of a project and kind 3 one of a group: this is the id of the project or group.
ALTER TABLE access_tokens ADD COLUMN place_id INTEGER;
CREATE INDEX access_tokens_place ON access_tokens (place_id, kind, id) WHERE place_id IS NOT NULL;
-- There is one alert bot. Each token of a project or group has a bot of its own.
DROP INDEX users_bots;
CREATE UNIQUE INDEX users_alert_bot ON users (kind) WHERE kind = 1;
