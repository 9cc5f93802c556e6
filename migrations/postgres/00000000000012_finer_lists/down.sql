DROP INDEX namespaces_owner;
DROP INDEX projects_visibility;
DROP INDEX projects_path;
DROP INDEX projects_name;
ALTER TABLE projects DROP COLUMN path_key, DROP COLUMN name_key;
DELETE FROM alert_search_progress;
ALTER TABLE alert_search DROP CONSTRAINT alert_search_blocks_length;
TRUNCATE alert_search;
