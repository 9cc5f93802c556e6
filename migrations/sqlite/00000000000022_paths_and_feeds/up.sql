-- crate: projects
-- Full paths, in lower case, at which something was before it was renamed or moved. A path in full_paths comes first, so what
-- takes an old path is found there.
CREATE TABLE former_paths (
    path_key TEXT NOT NULL PRIMARY KEY,
    namespace_id INTEGER REFERENCES namespaces (id) ON DELETE CASCADE,
    project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE,
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);

-- For what is deleted, which takes its former paths along.
CREATE INDEX former_paths_namespace ON former_paths (namespace_id) WHERE namespace_id IS NOT NULL;
CREATE INDEX former_paths_project ON former_paths (project_id) WHERE project_id IS NOT NULL;

-- How many issues of a project are open, and how many of these are confidential. Every write of issues has the lock of the
-- project, so it counts here, and a list of projects counts nothing.
ALTER TABLE projects ADD COLUMN open_issues INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN open_confidential_issues INTEGER NOT NULL DEFAULT 0;
UPDATE projects SET
    open_issues = (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 0),
    open_confidential_issues =
        (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 0 AND i.confidential);

-- crate: events
-- The feed of a person. Alert intake pays for it once for each alert that comes or goes, and not for repeats.
CREATE INDEX events_author ON events (author_id, id);
