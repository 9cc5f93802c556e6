DELETE FROM oauth_grants WHERE user_id IS NULL;
ALTER TABLE oauth_token_pairs ALTER COLUMN user_id SET NOT NULL;
ALTER TABLE oauth_grants ALTER COLUMN user_id SET NOT NULL;
