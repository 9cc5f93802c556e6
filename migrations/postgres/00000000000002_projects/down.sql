DROP TABLE project_members;
DROP TABLE namespace_members;
DROP TABLE full_paths;
DROP TABLE projects;
DROP TABLE namespace_lineage;
DROP TABLE namespaces;
