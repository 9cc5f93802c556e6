//! The manifest of a backup.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use serde::{Deserialize, Serialize};
use storage_diesel::{Snapshot, SnapshotTable};

use crate::settings::SecretKey;

/// The only format so far.
pub(super) const FORMAT: u32 = 1;

/// Contents of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// Format of the archive.
    pub format: u32,
    /// Version of the program that wrote the backup.
    pub version: String,
    /// Time of the backup.
    pub created_at: String,
    /// Kind of database: `SQLite` or `PostgreSQL`.
    pub database: String,
    /// Versions of the applied migrations, in order.
    pub migrations: Vec<String>,
    /// The secret key; absent when no server ever ran on the database.
    pub secret_key: Option<KeyEntry>,
    /// All tables, in order of their names.
    pub tables: Vec<TableEntry>,
}

/// The secret key of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KeyEntry {
    /// First eight bytes of the SHA-256 of the key: enough to tell keys apart, without revealing them.
    pub id: String,
    /// SHA-256 of the key file.
    pub sha256: String,
}

/// A table of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TableEntry {
    /// Name of the table.
    pub name: String,
    /// Number of its rows.
    pub rows: u64,
    /// XOR of the SHA-256 digests of its rows, which is the same in any order.
    pub digest: String,
    /// Highest id ever assigned.
    pub last_id: Option<i64>,
    /// Files that hold its rows.
    pub parts: Vec<PartEntry>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartEntry {
    /// Path in the archive.
    pub file: String,
    /// SHA-256 of the file.
    pub sha256: String,
}

impl Manifest {
    /// Total number of rows.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// The schema snapshot of the database.
    pub(super) fn snapshot(&self) -> Snapshot {
        let tables = self.tables.iter().map(|table| SnapshotTable {
            name: table.name.clone(),
            last_id: table.last_id,
        });
        Snapshot {
            migrations: self.migrations.clone(),
            tables: tables.collect(),
        }
    }
}

/// Number and digest of the rows of a table, in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct RowTotal {
    pub(super) rows: u64,
    digest: [u8; SHA256_OUTPUT_LEN],
}

impl RowTotal {
    pub(super) fn add(&mut self, row: &str) {
        self.rows += 1;
        let of_row = digest(&SHA256, row.as_bytes());
        for (sum, byte) in self.digest.iter_mut().zip(of_row.as_ref()) {
            *sum ^= byte;
        }
    }

    pub(super) fn digest(&self) -> String {
        hexadecimal(&self.digest)
    }
}

/// Returns the SHA-256 of bytes, as `sha256sum` prints it.
pub(super) fn sha256(bytes: &[u8]) -> String {
    hexadecimal(digest(&SHA256, bytes).as_ref())
}

/// Returns the id of a key.
pub(super) fn key_id(key: &SecretKey) -> String {
    let mut id = sha256(key.as_bytes());
    id.truncate(16);
    id
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_rows_is_the_same_in_any_order_and_another_for_other_rows() {
        let total = |rows: &[&str]| {
            let mut total = RowTotal::default();
            for row in rows {
                total.add(row);
            }
            total
        };
        assert_eq!(total(&["a", "b"]), total(&["b", "a"]));
        assert_ne!(total(&["a", "b"]), total(&["a", "c"]));
        assert_ne!(total(&["a", "a"]), total(&[]));
        assert_eq!(total(&["a"]).digest(), sha256(b"a"));
    }
}
