-- crate: accounts
-- Statuses that users show to others.
CREATE TABLE user_statuses (
    user_id BIGINT PRIMARY KEY REFERENCES users (id),
    emoji TEXT NOT NULL,
    message TEXT NOT NULL,
    availability SMALLINT NOT NULL,
    clear_at BIGINT -- stays if NULL
);
-- Finds those to clear.
CREATE INDEX user_statuses_clear ON user_statuses (clear_at, user_id) WHERE clear_at IS NOT NULL;
