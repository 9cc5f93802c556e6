DROP INDEX namespaces_owner;
DROP INDEX projects_visibility;
DROP INDEX projects_path;
DROP INDEX projects_name;
ALTER TABLE projects DROP COLUMN path_key;
ALTER TABLE projects DROP COLUMN name_key;
DELETE FROM alert_search_progress;
DROP TABLE alert_search;
CREATE TABLE alert_search (
    project_id INTEGER NOT NULL,
    part INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    blocks BLOB NOT NULL,
    PRIMARY KEY (project_id, part, slot)
) WITHOUT ROWID;
