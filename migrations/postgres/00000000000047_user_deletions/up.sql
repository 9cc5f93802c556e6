-- crate: accounts
-- There is one ghost (kind 4).
CREATE UNIQUE INDEX users_ghost ON users (kind) WHERE kind = 4;
-- Users whose deletion is under way (kinds 5 and 6).
CREATE INDEX users_deleted ON users (id) WHERE kind > 4;
-- The following indexes find what refers to a user that is deleted.
CREATE INDEX deploy_tokens_creator ON deploy_tokens (creator_id, id);
-- crate: projects
CREATE INDEX projects_creator ON projects (creator_id, id);
CREATE INDEX namespace_members_creator ON namespace_members (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX project_members_creator ON project_members (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX project_shares_creator ON project_shares (created_by) WHERE created_by IS NOT NULL;
CREATE INDEX deletions_requester ON deletions (requested_by);
CREATE INDEX issues_closer ON issues (closed_by) WHERE closed_by IS NOT NULL;
CREATE INDEX notes_author ON notes (author_id, id);
-- crate: error-tracking
CREATE INDEX errors_assignee ON errors (assignee_id, id) WHERE assignee_id IS NOT NULL;
-- crate: pipelines
CREATE INDEX deployments_user ON deployments (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX pipelines_author ON pipelines (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX ci_jobs_user ON ci_jobs (user_id) WHERE user_id IS NOT NULL;
