-- crate: projects
-- The last number that an issue of the project got. Every write of issues locks the project by it.
ALTER TABLE projects ADD COLUMN last_issue_iid BIGINT NOT NULL DEFAULT 0;

CREATE TABLE issues (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    iid BIGINT NOT NULL,
    author_id BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    title TEXT NOT NULL,
    description TEXT,
    kind SMALLINT NOT NULL, -- 0 issue, 1 incident
    severity SMALLINT NOT NULL, -- 0 unknown, 1 low, 2 medium, 3 high, 4 critical
    confidential BOOLEAN NOT NULL,
    discussion_locked BOOLEAN NOT NULL,
    due_date INTEGER, -- days since 1970-01-01
    milestone_id BIGINT REFERENCES milestones (id) ON DELETE SET NULL,
    state SMALLINT NOT NULL, -- 0 opened, 1 closed
    closed_at BIGINT,
    closed_by BIGINT,
    user_notes_count BIGINT NOT NULL DEFAULT 0,
    UNIQUE (project_id, iid)
);

-- The orders of lists, in a project with and without a state, and everywhere.
CREATE INDEX issues_created ON issues (created_at, id);
CREATE INDEX issues_updated ON issues (updated_at, id);
CREATE INDEX issues_project_created ON issues (project_id, created_at, id);
CREATE INDEX issues_project_updated ON issues (project_id, updated_at, id);
CREATE INDEX issues_state_created ON issues (project_id, state, created_at, id);
CREATE INDEX issues_state_updated ON issues (project_id, state, updated_at, id);

-- What narrows a list to few issues.
CREATE INDEX issues_author ON issues (author_id, id);
CREATE INDEX issues_milestone ON issues (milestone_id, id) WHERE milestone_id IS NOT NULL;

CREATE TABLE issue_labels (
    issue_id BIGINT NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    label_id BIGINT NOT NULL REFERENCES labels (id) ON DELETE CASCADE,
    PRIMARY KEY (issue_id, label_id)
);

CREATE INDEX issue_labels_label ON issue_labels (label_id, issue_id);

CREATE TABLE issue_assignees (
    issue_id BIGINT NOT NULL REFERENCES issues (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL,
    PRIMARY KEY (issue_id, user_id)
);

CREATE INDEX issue_assignees_user ON issue_assignees (user_id, issue_id);

-- crate: events
-- Reporters see entries about confidential issues, and no alerts. This index has what they see; alert intake does not pay for it.
CREATE INDEX events_project_reporters ON events (project_id, id) WHERE audience <= 20;

-- Entries about a thing, so that they follow it when its audience changes. Alert intake does not pay for it either.
CREATE INDEX events_targets ON events (project_id, target_type, target_id) WHERE audience <= 20;
