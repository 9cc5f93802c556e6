-- crate: oauth-provider
-- A grant and its tokens may act for the application itself: then they have no user. SQLite takes no NOT NULL away from a
-- column, so another one is put in its place.
DROP INDEX oauth_grants_user;
ALTER TABLE oauth_grants RENAME COLUMN user_id TO former_user_id;
ALTER TABLE oauth_grants ADD COLUMN user_id INTEGER REFERENCES users (id);
UPDATE oauth_grants SET user_id = former_user_id;
ALTER TABLE oauth_grants DROP COLUMN former_user_id;
CREATE INDEX oauth_grants_user ON oauth_grants (user_id, application_id);
ALTER TABLE oauth_token_pairs RENAME COLUMN user_id TO former_user_id;
ALTER TABLE oauth_token_pairs ADD COLUMN user_id INTEGER;
UPDATE oauth_token_pairs SET user_id = former_user_id;
ALTER TABLE oauth_token_pairs DROP COLUMN former_user_id;
