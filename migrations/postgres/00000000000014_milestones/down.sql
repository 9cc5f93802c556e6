DROP TABLE milestones;
ALTER TABLE projects DROP COLUMN last_milestone_iid;
