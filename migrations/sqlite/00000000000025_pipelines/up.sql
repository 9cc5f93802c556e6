-- crate: pipelines
-- What external CI systems report: environments, deployments, pipelines with their variables, and jobs.

-- The last numbers of each project. Its row is also what a report locks.
CREATE TABLE ci_counters (
    project_id INTEGER NOT NULL PRIMARY KEY REFERENCES projects (id),
    last_deployment INTEGER NOT NULL,
    last_pipeline INTEGER NOT NULL
);

CREATE TABLE environments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    external_url TEXT,
    state INTEGER NOT NULL, -- 0 available, 1 stopped
    tier INTEGER NOT NULL, -- 0 production, 1 staging, 2 testing, 3 development, 4 other
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX environments_name ON environments (project_id, name);
CREATE UNIQUE INDEX environments_slug ON environments (project_id, slug);
CREATE INDEX environments_project ON environments (project_id, id);
CREATE INDEX environments_state ON environments (project_id, state, id);

CREATE TABLE deployments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    iid INTEGER NOT NULL,
    environment_id INTEGER NOT NULL REFERENCES environments (id),
    user_id INTEGER,
    sha TEXT NOT NULL,
    reference TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL, -- 0 created, 1 running, 2 success, 3 failed, 4 canceled
    updated_at INTEGER NOT NULL,
    finished_at INTEGER
);
CREATE UNIQUE INDEX deployments_iid ON deployments (project_id, iid);
CREATE INDEX deployments_project ON deployments (project_id, id);
-- Equal times are in the order of ids from the highest, whichever way the list goes.
CREATE INDEX deployments_updated ON deployments (project_id, updated_at, id);
CREATE INDEX deployments_updated_ties ON deployments (project_id, updated_at, id DESC);
CREATE INDEX deployments_ref ON deployments (project_id, reference, id);
CREATE INDEX deployments_status ON deployments (project_id, status, id);
CREATE INDEX deployments_finished ON deployments (project_id, status, finished_at, id);
CREATE INDEX deployments_environment ON deployments (project_id, environment_id, id);
CREATE INDEX deployments_environment_status ON deployments (project_id, environment_id, status, id);
-- What an environment that is deleted takes with it.
CREATE INDEX deployments_of ON deployments (environment_id);

CREATE TABLE pipelines (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    iid INTEGER NOT NULL,
    reference TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    source INTEGER NOT NULL, -- 0 external, 1 api
    user_id INTEGER,
    created_at INTEGER NOT NULL,
    sha TEXT, -- none until it is known
    status INTEGER NOT NULL, -- 0 created, 1 pending, 2 running, 3 success, 4 failed, 5 canceled, 6 skipped
    updated_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER
);
CREATE UNIQUE INDEX pipelines_iid ON pipelines (project_id, iid);
CREATE INDEX pipelines_project ON pipelines (project_id, id);
CREATE INDEX pipelines_sha ON pipelines (project_id, sha, id);
CREATE INDEX pipelines_ref ON pipelines (project_id, reference, id);
CREATE INDEX pipelines_status ON pipelines (project_id, status, id);
CREATE INDEX pipelines_updated ON pipelines (project_id, updated_at, id);
CREATE INDEX pipelines_user ON pipelines (project_id, user_id, id);

CREATE TABLE pipeline_variables (
    pipeline_id INTEGER NOT NULL REFERENCES pipelines (id),
    position INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    kind INTEGER NOT NULL, -- 0 of the environment, 1 a file
    PRIMARY KEY (pipeline_id, position)
);

-- The statuses of commits.
CREATE TABLE ci_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project_id INTEGER NOT NULL REFERENCES projects (id),
    pipeline_id INTEGER NOT NULL REFERENCES pipelines (id),
    sha TEXT NOT NULL,
    reference TEXT NOT NULL,
    tag BOOLEAN NOT NULL,
    name TEXT NOT NULL,
    stage TEXT NOT NULL,
    user_id INTEGER,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL, -- as of pipelines
    target_url TEXT,
    description TEXT,
    coverage INTEGER, -- ten-thousandths of a percent
    updated_at INTEGER NOT NULL,
    started_at INTEGER,
    finished_at INTEGER,
    retried BOOLEAN NOT NULL DEFAULT FALSE -- whether a later job of the pipeline has the name
);
CREATE INDEX ci_jobs_project ON ci_jobs (project_id, id);
CREATE INDEX ci_jobs_status ON ci_jobs (project_id, status, id);
CREATE INDEX ci_jobs_commit ON ci_jobs (project_id, sha, id);
CREATE INDEX ci_jobs_pipeline ON ci_jobs (pipeline_id, id);
CREATE UNIQUE INDEX ci_jobs_current ON ci_jobs (pipeline_id, name) WHERE NOT retried;
CREATE INDEX ci_jobs_current_status ON ci_jobs (pipeline_id, status) WHERE NOT retried;
