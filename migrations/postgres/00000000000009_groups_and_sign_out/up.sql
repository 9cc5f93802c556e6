-- What is below a namespace: the groups that a role reaches.
CREATE INDEX namespace_lineage_ancestor ON namespace_lineage (ancestor_id, namespace_id);
