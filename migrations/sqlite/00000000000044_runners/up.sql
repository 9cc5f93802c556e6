-- crate: pipelines
-- Runners, and the tokens with which they register.
CREATE TABLE runners (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    runner_type INTEGER NOT NULL, -- 1 instance, 2 group, 3 project
    creator_id INTEGER NOT NULL, -- of the runner, or of its registration token
    created_at INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the authentication token
    description TEXT NOT NULL,
    maintenance_note TEXT,
    paused BOOLEAN NOT NULL,
    locked BOOLEAN NOT NULL,
    run_untagged BOOLEAN NOT NULL,
    access_level INTEGER NOT NULL, -- 0 not protected, 1 ref protected
    maximum_timeout INTEGER, -- seconds
    tags TEXT NOT NULL, -- each between line breaks
    contacted_at INTEGER,
    name TEXT,
    version TEXT,
    revision TEXT,
    platform TEXT,
    architecture TEXT
);
CREATE INDEX runners_creator ON runners (creator_id);
CREATE INDEX runners_type ON runners (runner_type, id);

-- Places of runners: the instance (kind 1, id 0), a group (kind 2) or a project (kind 3).
CREATE TABLE runner_places (
    place_id INTEGER NOT NULL,
    place_kind INTEGER NOT NULL,
    runner_id INTEGER NOT NULL REFERENCES runners (id) ON DELETE CASCADE,
    PRIMARY KEY (place_id, place_kind, runner_id)
);
CREATE INDEX runner_places_runner ON runner_places (runner_id);

-- Registration tokens: of the instance (kind 1, id 0), a group or a project.
CREATE TABLE runner_registration_tokens (
    place_id INTEGER NOT NULL,
    place_kind INTEGER NOT NULL,
    digest BLOB NOT NULL UNIQUE, -- SHA-256 of the token
    creator_id INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (place_id, place_kind)
);
CREATE INDEX runner_registration_tokens_creator ON runner_registration_tokens (creator_id);
