-- crate: projects
-- Who gave a role; none for the owner of a namespace, and for roles from before this was kept.
ALTER TABLE namespace_members ADD COLUMN created_by BIGINT REFERENCES users (id);
ALTER TABLE project_members ADD COLUMN created_by BIGINT REFERENCES users (id);

-- A project that is shared with a group: members of the group have the lower of their role there and the level here.
CREATE TABLE project_shares (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE,
    group_id BIGINT NOT NULL REFERENCES namespaces (id) ON DELETE CASCADE,
    access_level SMALLINT NOT NULL,
    expires_on INTEGER, -- the first day on which it no longer holds
    created_by BIGINT REFERENCES users (id),
    created_at BIGINT NOT NULL,
    UNIQUE (project_id, group_id)
);

-- The projects that are shared with a group, for the lists of its members.
CREATE INDEX project_shares_group ON project_shares (group_id, project_id);

-- What expires, for the job that deletes it.
CREATE INDEX namespace_members_expiry ON namespace_members (expires_on) WHERE expires_on IS NOT NULL;
CREATE INDEX project_members_expiry ON project_members (expires_on) WHERE expires_on IS NOT NULL;
CREATE INDEX project_shares_expiry ON project_shares (expires_on) WHERE expires_on IS NOT NULL;

-- The owners that stay, of whom a group has at least one.
CREATE INDEX namespace_members_owners ON namespace_members (namespace_id, user_id)
    WHERE access_level = 50 AND expires_on IS NULL;
