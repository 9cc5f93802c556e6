ALTER TABLE users DROP COLUMN blocked_as;
