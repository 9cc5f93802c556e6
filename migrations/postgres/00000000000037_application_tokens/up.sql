-- crate: oauth-provider
-- A grant and its tokens may act for the application itself: then they have no user.
ALTER TABLE oauth_grants ALTER COLUMN user_id DROP NOT NULL;
ALTER TABLE oauth_token_pairs ALTER COLUMN user_id DROP NOT NULL;
