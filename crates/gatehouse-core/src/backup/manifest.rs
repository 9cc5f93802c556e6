//! The manifest of a backup.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use storage_diesel::{Snapshot, SnapshotTable};

use crate::settings::SecretKey;

/// Format of the backups that this version writes and reads.
pub(super) const FORMAT: u32 = 2;

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
    /// Form in which the backup contains the key.
    pub form: KeyForm,
    /// SHA-256 of the file of the archive that contains the key; absent if none does.
    pub sha256: Option<String>,
}

/// Form in which a backup contains its secret key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeyForm {
    /// As it is.
    Plain,
    /// Encrypted with a passphrase.
    Encrypted,
    /// Left out.
    LeftOut,
}

/// A table of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TableEntry {
    /// Name of the table.
    pub name: String,
    /// Columns of its primary key.
    pub key: Vec<String>,
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
            key: table.key.clone(),
            last_id: table.last_id,
        });
        Snapshot {
            migrations: self.migrations.clone(),
            tables: tables.collect(),
        }
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

/// Formats bytes as lower-case hexadecimal digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
