DROP INDEX access_tokens_active;
DROP INDEX access_tokens_family;
ALTER TABLE access_tokens DROP COLUMN family_id;
