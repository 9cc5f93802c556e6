-- crate: oauth-provider
-- Options of applications: false in issuer_in_response for libraries that refuse a response with an issuer; lifetimes in
-- seconds, null for the server's. An older process writes no values, so its applications work as before.
ALTER TABLE oauth_applications ADD COLUMN issuer_in_response BOOLEAN NOT NULL DEFAULT TRUE;
ALTER TABLE oauth_applications ADD COLUMN reduce_scopes BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE oauth_applications ADD COLUMN groups_claim BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE oauth_applications ADD COLUMN id_token_seconds INTEGER;
ALTER TABLE oauth_applications ADD COLUMN access_token_seconds INTEGER;
-- Public applications have the default of those that are registered from now on.
UPDATE oauth_applications SET reduce_scopes = TRUE WHERE client_type = 1;
-- Transport of the response: 0 query, 1 form_post.
ALTER TABLE oauth_authorization_requests ADD COLUMN response_mode INTEGER NOT NULL DEFAULT 0;
