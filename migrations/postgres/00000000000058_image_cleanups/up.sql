-- crate: projects
-- Deletions of images that a job carries out in the container registry. A name is not given to a project while all of its
-- images are to be deleted.
CREATE TABLE image_cleanups (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    delete_pattern TEXT, -- NULL for all images, which ends the repository
    keep_pattern TEXT,
    keep_newest BIGINT,
    older_than_seconds BIGINT,
    requested_at BIGINT NOT NULL,
    due_at BIGINT -- NULL when complete
);

-- The next deletion to carry out.
CREATE INDEX image_cleanups_due ON image_cleanups (due_at, id);
