DROP TABLE spam_logs;
