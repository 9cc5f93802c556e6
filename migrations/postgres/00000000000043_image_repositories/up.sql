-- crate: projects
-- Image repositories in the container registry. The name stays the same when the project is renamed or moved.
CREATE TABLE image_repositories (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    name TEXT NOT NULL UNIQUE, -- in lower case
    created_at BIGINT NOT NULL
);

-- The repositories of a project in the order in which they are listed.
CREATE INDEX image_repositories_project ON image_repositories (project_id, id);
