-- Groups with what people write of them, and what projects have besides a name and a path.

-- crate: projects
ALTER TABLE namespaces ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE namespaces ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE namespaces ADD COLUMN project_creation_level INTEGER NOT NULL DEFAULT 2; -- 0 noone, 1 maintainer, 2 developer
ALTER TABLE namespaces ADD COLUMN subgroup_creation_level INTEGER NOT NULL DEFAULT 1; -- 0 owner, 1 maintainer
ALTER TABLE namespaces ADD COLUMN share_with_group_lock BOOLEAN NOT NULL DEFAULT FALSE;
-- The name and the path in lower case, which lists are ordered by. A process of before writes no value; what it makes
-- comes first in these two orders.
ALTER TABLE namespaces ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE namespaces ADD COLUMN path_key TEXT NOT NULL DEFAULT '';
-- The deletion that it is waiting for. What waits is seen by nobody.
ALTER TABLE namespaces ADD COLUMN deletion_id INTEGER;
UPDATE namespaces SET updated_at = created_at, name_key = lower(name), path_key = lower(path);

CREATE INDEX namespaces_name ON namespaces (name_key, id);
CREATE INDEX namespaces_path ON namespaces (path_key, id);
CREATE INDEX namespaces_parent ON namespaces (parent_id, name_key, id);
CREATE INDEX namespaces_visibility ON namespaces (visibility, name_key, id);
CREATE INDEX namespaces_deletion ON namespaces (deletion_id, id) WHERE deletion_id IS NOT NULL;

ALTER TABLE projects ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE projects ADD COLUMN topics TEXT NOT NULL DEFAULT '[]'; -- a JSON array, in the order in which they were given
ALTER TABLE projects ADD COLUMN deletion_id INTEGER;

-- Within a namespace a name is taken once. Names of before may be the same, so the index does not forbid it.
CREATE INDEX projects_namespace_name ON projects (namespace_id, name);
CREATE INDEX projects_deletion ON projects (deletion_id, id) WHERE deletion_id IS NOT NULL;
CREATE INDEX projects_archived ON projects (id) WHERE archived;

-- The topics of projects in lower case, to find projects by.
CREATE TABLE project_topics (
    topic_key TEXT NOT NULL,
    project_id INTEGER NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    PRIMARY KEY (topic_key, project_id)
) WITHOUT ROWID;

CREATE INDEX project_topics_project ON project_topics (project_id);

-- What has which path, for moves and deletions.
CREATE INDEX full_paths_namespace ON full_paths (namespace_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX full_paths_project ON full_paths (project_id) WHERE project_id IS NOT NULL;

-- What is to be deleted: a project, or a group with everything in it.
CREATE TABLE deletions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
    requested_by INTEGER NOT NULL,
    requested_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    started BOOLEAN NOT NULL,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);

CREATE INDEX deletions_due ON deletions (due_at, id);
CREATE INDEX deletions_namespace ON deletions (namespace_id);
CREATE INDEX deletions_project ON deletions (project_id);
