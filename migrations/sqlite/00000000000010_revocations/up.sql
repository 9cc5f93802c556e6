-- crate: accounts
-- What lost power in the last minutes, under the authentication epoch that it began: processes that remember what they
-- read learn here what to read again. The table is small, because old rows are deleted all the time.

CREATE TABLE revocations (
    epoch INTEGER NOT NULL,
    kind INTEGER NOT NULL, -- 0 everything, 1 user, 2 session, 3 token, 4 grant, 5 application, 6 endpoint
    subject_id INTEGER NOT NULL, -- the id of that user, session, ...; 0 for everything
    PRIMARY KEY (epoch, kind, subject_id)
) WITHOUT ROWID;
