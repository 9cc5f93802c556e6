-- crate: accounts
DROP TABLE deploy_tokens;
