-- crate: deprecations
-- Who uses deprecated things: a count for each record, user and holder. Users, tokens and applications are named without a
-- foreign key: what was used stays known when they are gone, and counts are written many at once.
CREATE TABLE deprecation_uses (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    record TEXT NOT NULL, -- the id of an announcement
    user_id INTEGER NOT NULL, -- 0 where it is not known whose uses they are
    holder INTEGER NOT NULL, -- 0 a session, 1 an access token, 2 an application, 3 others
    holder_id INTEGER NOT NULL, -- of the token or the application, otherwise 0
    uses INTEGER NOT NULL, -- at most 2^48, so that sums have room
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL
);
-- What uses are added to.
CREATE UNIQUE INDEX deprecation_uses_key ON deprecation_uses (record, user_id, holder, holder_id);
-- What a user uses, and by whom a record is used, in the order in which they are listed.
CREATE INDEX deprecation_uses_user ON deprecation_uses (user_id, last_at, id);
CREATE INDEX deprecation_uses_record ON deprecation_uses (record, last_at, id);
-- What is old enough to be deleted. It is of an expression, so that no list is read in it: the last uses of everybody in turn are
-- many where a record or a user has few.
CREATE INDEX deprecation_uses_last ON deprecation_uses (last_at + 0);
