-- crate: accounts
-- Whether others see neither what a user did nor more of the profile than the name. An older process writes no value, so the
-- users that it makes have a profile that everybody sees.
ALTER TABLE users ADD COLUMN private_profile BOOLEAN NOT NULL DEFAULT FALSE;
