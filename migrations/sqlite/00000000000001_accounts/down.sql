DROP TABLE auth_epoch;
DROP TABLE access_tokens;
DROP TABLE users;
