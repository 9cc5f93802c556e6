DROP INDEX access_tokens_creator;
ALTER TABLE access_tokens DROP COLUMN creator_id;
