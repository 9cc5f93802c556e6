DROP INDEX issues_due;
DROP INDEX issues_confidential;
ALTER TABLE projects DROP COLUMN closed_confidential_issues;
ALTER TABLE projects DROP COLUMN closed_issues;
