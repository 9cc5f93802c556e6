-- crate: projects
-- What is below a namespace: the groups that a role reaches.
CREATE INDEX namespace_lineage_ancestor ON namespace_lineage (ancestor_id, namespace_id);

-- crate: oauth-provider
-- Where users may be sent back to after they signed out: a JSON array, in the order of registration.
ALTER TABLE oauth_applications ADD COLUMN post_logout_redirect_uris TEXT NOT NULL DEFAULT '[]';
