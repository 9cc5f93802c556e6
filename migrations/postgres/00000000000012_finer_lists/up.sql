-- Searches over smaller blocks of alerts, and projects in the order of their names and paths.

-- crate: alert-intake
-- Blocks have 8 alerts instead of 16. What was prepared means something else now, so all of it is prepared anew. The
-- length is checked, because a process of before that still runs must not write its slices among these.
TRUNCATE alert_search;
ALTER TABLE alert_search ADD CONSTRAINT alert_search_blocks_length CHECK (octet_length(blocks) = 64);
DELETE FROM alert_search_progress;

-- crate: projects
-- The name and the path in lower case, as the program knows the letters, in the order of their characters: so lists
-- have the same order whatever the language of the database. A process of before writes no value; what it makes comes
-- first in these two orders.
ALTER TABLE projects
    ADD COLUMN name_key TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN path_key TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE projects SET name_key = lower(name), path_key = lower(path);

-- For the two orders.
CREATE INDEX projects_name ON projects (name_key, id);
CREATE INDEX projects_path ON projects (path_key, id);

-- Lists that take few projects among many count these, and sort them.
CREATE INDEX projects_visibility ON projects (visibility, id);
CREATE INDEX namespaces_owner ON namespaces (owner_id);
