ALTER TABLE users DROP COLUMN private_profile;
