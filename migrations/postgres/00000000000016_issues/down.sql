DROP INDEX events_targets;
DROP INDEX events_project_reporters;
DROP TABLE issue_assignees;
DROP TABLE issue_labels;
DROP TABLE issues;
ALTER TABLE projects DROP COLUMN last_issue_iid;
