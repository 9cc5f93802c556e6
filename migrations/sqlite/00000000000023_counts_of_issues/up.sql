-- crate: projects
-- How many issues of a project are closed, beside the open ones, so that nobody counts what may be a million.
ALTER TABLE projects ADD COLUMN closed_issues INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projects ADD COLUMN closed_confidential_issues INTEGER NOT NULL DEFAULT 0;
UPDATE projects SET
    closed_issues = (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 1),
    closed_confidential_issues =
        (SELECT COUNT(*) FROM issues AS i WHERE i.project_id = projects.id AND i.state = 1 AND i.confidential);

-- What is seldom among the issues of a project, and asked for by itself.
CREATE INDEX issues_confidential ON issues (project_id, id) WHERE confidential;
CREATE INDEX issues_due ON issues (project_id, due_date, id) WHERE due_date IS NOT NULL;
