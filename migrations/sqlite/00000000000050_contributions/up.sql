-- crate: events
-- Contributions of users by day, in groups of those that the same viewers may read. Entries are deleted after three
-- years, and these rows with them.
CREATE TABLE contributions (
    user_id INTEGER NOT NULL,
    day INTEGER NOT NULL, -- days since 1970-01-01, in UTC
    project_id INTEGER NOT NULL,
    audience INTEGER NOT NULL, -- the role that a reader needs; 0 for none
    is_push BOOLEAN NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (user_id, day, project_id, audience, is_push)
) WITHOUT ROWID;
-- Contributions to a project that is deleted, and old ones.
CREATE INDEX contributions_project ON contributions (project_id, day);

INSERT INTO contributions (user_id, day, project_id, audience, is_push, count)
SELECT author_id, created_at / 86400000000, project_id, audience, action = 5, COUNT(*) FROM events
WHERE created_at >= 0 AND (
    (action = 5 AND target_type IS NULL) OR (action = 6 AND target_type = 4)
    OR (action IN (1, 3) AND target_type = 1) OR (action IN (1, 3, 7, 12) AND target_type = 3)
)
GROUP BY 1, 2, 3, 4, 5;
