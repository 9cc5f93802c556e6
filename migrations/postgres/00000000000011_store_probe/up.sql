-- crate: store
-- One row that is written to prove that the database takes writes.

CREATE TABLE store_probe (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    proofs BIGINT NOT NULL
);

INSERT INTO store_probe (id, proofs) VALUES (1, 0);
