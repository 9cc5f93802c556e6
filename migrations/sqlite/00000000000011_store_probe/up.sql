-- crate: store
-- One row that is written to prove that the database takes writes.

CREATE TABLE store_probe (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    proofs INTEGER NOT NULL
);

INSERT INTO store_probe (id, proofs) VALUES (1, 0);
