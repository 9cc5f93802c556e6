-- Lists of users.

-- crate: accounts
-- The name in lower case, in a column that the program fills: other tools that open the file know fewer letters. A process
-- of before writes no value; who it makes comes first in the order of names.
ALTER TABLE users ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE users SET name_key = lower(name);

-- For the orders. The id alone is the first of them.
CREATE INDEX users_name ON users (name_key, id);
CREATE INDEX users_username ON users (username_key, id);
CREATE INDEX users_created ON users (created_at, id);

-- What everybody lists, and the few that administrators look for.
CREATE INDEX users_active ON users (id) WHERE blocked_at IS NULL;
CREATE INDEX users_blocked ON users (id) WHERE blocked_at IS NOT NULL;
CREATE INDEX users_admins ON users (id) WHERE is_admin;
CREATE INDEX users_two_factor ON users (id) WHERE second_factor_enabled_at IS NOT NULL;
