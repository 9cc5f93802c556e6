ALTER TABLE users DROP COLUMN last_sign_in_at;
ALTER TABLE users DROP COLUMN current_sign_in_at;
ALTER TABLE users DROP COLUMN sign_in_count;
