-- Searches over smaller blocks of alerts, and projects in the order of their names and paths.

-- crate: alert-intake
-- Blocks have 8 alerts instead of 16. What was prepared means something else now, so all of it is prepared anew. The
-- length is checked, because a process of before that still runs must not write its slices among these.
DROP TABLE alert_search;
CREATE TABLE alert_search (
    project_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    blocks BLOB NOT NULL CHECK (length(blocks) = 64), -- a bit for each block
    PRIMARY KEY (project_id, part, slot)
) WITHOUT ROWID;
DELETE FROM alert_search_progress;

-- crate: projects
-- The name and the path in lower case. They stand in columns that the program fills, and not in indexes over lower(),
-- because other tools that open the file know fewer letters than the program and would find such an index damaged. A
-- process of before writes no value; what it makes comes first in these two orders.
ALTER TABLE projects ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE projects ADD COLUMN path_key TEXT NOT NULL DEFAULT '';
UPDATE projects SET name_key = lower(name), path_key = lower(path);

-- For the two orders.
CREATE INDEX projects_name ON projects (name_key, id);
CREATE INDEX projects_path ON projects (path_key, id);

-- Lists that take few projects among many count these, and sort them.
CREATE INDEX projects_visibility ON projects (visibility, id);
CREATE INDEX namespaces_owner ON namespaces (owner_id);
