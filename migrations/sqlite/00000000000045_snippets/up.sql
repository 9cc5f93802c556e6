-- crate: projects
-- Snippets of users and projects. The author is named without a foreign key, as in issues.
CREATE TABLE snippets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER REFERENCES projects (id) ON DELETE CASCADE, -- NULL for a personal snippet
    author_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    visibility INTEGER NOT NULL, -- 0 private, 10 internal, 20 public
    updated_at INTEGER NOT NULL
);
-- The list of administrators. The partial indexes below have the columns of their conditions, so that SQLite counts
-- without reading the rows.
CREATE INDEX snippets_created ON snippets (created_at, id);
-- The own personal snippets of a user; and those that only the author sees.
CREATE INDEX snippets_author ON snippets (author_id, created_at, id, project_id) WHERE project_id IS NULL;
CREATE INDEX snippets_author_private ON snippets (author_id, created_at, id, project_id, visibility)
    WHERE project_id IS NULL AND visibility < 10;
-- All snippets of a user who is deleted. The expression differs from the column, so that lists never read this index.
CREATE INDEX snippets_deletion ON snippets ((author_id + 0));
-- The personal snippets of all users that other users see.
CREATE INDEX snippets_internal ON snippets (created_at, id, project_id, visibility) WHERE project_id IS NULL AND visibility >= 10;
CREATE INDEX snippets_public ON snippets (created_at, id, project_id, visibility) WHERE project_id IS NULL AND visibility >= 20;
-- The snippets of a project: for members, for signed-in users and for everyone.
CREATE INDEX snippets_project ON snippets (project_id, created_at, id);
CREATE INDEX snippets_project_internal ON snippets (project_id, created_at, id, visibility) WHERE visibility >= 10;
CREATE INDEX snippets_project_public ON snippets (project_id, created_at, id, visibility) WHERE visibility >= 20;

-- Files of a snippet, in the order of their positions.
CREATE TABLE snippet_files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    snippet_id INTEGER NOT NULL REFERENCES snippets (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    path TEXT NOT NULL,
    content TEXT NOT NULL
);
CREATE UNIQUE INDEX snippet_files_position ON snippet_files (snippet_id, position);

-- Snippet of an entry of the spam log: NULL for an issue, 0 for a new snippet. The project of a personal snippet is 0.
ALTER TABLE spam_logs ADD COLUMN snippet_id INTEGER;
