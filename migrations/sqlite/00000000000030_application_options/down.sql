ALTER TABLE oauth_authorization_requests DROP COLUMN response_mode;
ALTER TABLE oauth_applications DROP COLUMN access_token_seconds;
ALTER TABLE oauth_applications DROP COLUMN id_token_seconds;
ALTER TABLE oauth_applications DROP COLUMN groups_claim;
ALTER TABLE oauth_applications DROP COLUMN reduce_scopes;
ALTER TABLE oauth_applications DROP COLUMN issuer_in_response;
