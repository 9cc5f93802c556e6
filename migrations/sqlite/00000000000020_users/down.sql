DROP INDEX users_two_factor;
DROP INDEX users_admins;
DROP INDEX users_blocked;
DROP INDEX users_active;
DROP INDEX users_created;
DROP INDEX users_username;
DROP INDEX users_name;
ALTER TABLE users DROP COLUMN name_key;
