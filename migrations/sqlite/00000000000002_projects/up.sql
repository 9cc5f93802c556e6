-- crate: projects
-- Namespaces, projects and members.

CREATE TABLE namespaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind INTEGER NOT NULL, -- 0 user, 1 group
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    full_path TEXT NOT NULL,
    parent_id INTEGER REFERENCES namespaces (id),
    owner_id INTEGER NOT NULL REFERENCES users (id),
    visibility INTEGER NOT NULL, -- 0 private, 10 internal, 20 public
    created_at INTEGER NOT NULL
);

-- Every namespace with itself and everything above it, so that a role in any of them is found by one join.
CREATE TABLE namespace_lineage (
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    ancestor_id INTEGER NOT NULL REFERENCES namespaces (id),
    PRIMARY KEY (namespace_id, ancestor_id)
);

CREATE TABLE projects (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    name TEXT NOT NULL,
    path TEXT NOT NULL,
    full_path TEXT NOT NULL,
    description TEXT NOT NULL,
    visibility INTEGER NOT NULL,
    creator_id INTEGER NOT NULL REFERENCES users (id),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_activity_at INTEGER NOT NULL
);

CREATE INDEX projects_namespace ON projects (namespace_id, id);
CREATE INDEX projects_created ON projects (created_at, id);

-- Full paths in lower case. Namespaces and projects share one space of paths, so one table holds both.
CREATE TABLE full_paths (
    path_key TEXT NOT NULL PRIMARY KEY,
    namespace_id INTEGER REFERENCES namespaces (id),
    project_id INTEGER REFERENCES projects (id),
    CHECK ((namespace_id IS NULL) <> (project_id IS NULL))
);

CREATE TABLE namespace_members (
    namespace_id INTEGER NOT NULL REFERENCES namespaces (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    access_level INTEGER NOT NULL,
    expires_on INTEGER, -- the first day on which it no longer holds
    created_at INTEGER NOT NULL,
    PRIMARY KEY (namespace_id, user_id)
);

CREATE INDEX namespace_members_user ON namespace_members (user_id, namespace_id);

CREATE TABLE project_members (
    project_id INTEGER NOT NULL REFERENCES projects (id),
    user_id INTEGER NOT NULL REFERENCES users (id),
    access_level INTEGER NOT NULL,
    expires_on INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, user_id)
);

CREATE INDEX project_members_user ON project_members (user_id, project_id);
