DROP TABLE oauth_signing_keys;
DROP TABLE oauth_token_pairs;
DROP TABLE oauth_grants;
DROP TABLE oauth_authorization_requests;
DROP TABLE oauth_applications;
