DROP TABLE sessions;
DROP TABLE sign_in_failures;
DROP TABLE recovery_codes;
ALTER TABLE users DROP COLUMN second_factor_last_step;
ALTER TABLE users DROP COLUMN second_factor_sealed;
ALTER TABLE users DROP COLUMN second_factor_enabled_at;
