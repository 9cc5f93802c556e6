-- An older program reads the columns as they are, once every row has a user. Pairs go with their grants.
DELETE FROM oauth_grants WHERE user_id IS NULL;
