-- crate: accounts
-- State of an account with blocked_at: 0 blocked, 1 banned, 2 deactivated. An older process blocks in each of them.
ALTER TABLE users ADD COLUMN blocked_as INTEGER NOT NULL DEFAULT 0;
