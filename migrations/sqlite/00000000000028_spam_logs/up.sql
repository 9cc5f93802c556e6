-- crate: projects
-- What was held because it looks like spam. Users and projects are named without a foreign key: what was held stays known when
-- they are gone.
CREATE TABLE spam_logs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    issue_iid INTEGER, -- of the issue that was to be changed; NULL for one that was to be made
    digest BLOB NOT NULL, -- SHA-256 of all that was sent
    title TEXT NOT NULL,
    excerpt TEXT NOT NULL, -- the beginning of the description
    reason INTEGER NOT NULL, -- 0 a pattern, 1 too many links, 2 the service that judges texts
    held INTEGER NOT NULL, -- how often it was sent, at most 2^48
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    solved_at INTEGER -- when a CAPTCHA was solved for it
);
-- What is sent again is counted.
CREATE UNIQUE INDEX spam_logs_key ON spam_logs (user_id, digest);
-- The last ones of a user, of which so many are kept; and of all, as they are listed.
CREATE INDEX spam_logs_user ON spam_logs (user_id, last_at, id);
CREATE INDEX spam_logs_last ON spam_logs (last_at, id);
