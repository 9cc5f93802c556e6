//! Number and digest of the rows of each table, which are the same in any order and from either kind of database.

use std::collections::BTreeMap;

use aws_lc_rs::digest::{SHA256, SHA256_OUTPUT_LEN, digest};
use storage_diesel::{Snapshot, SnapshotTable, TransferError};

use super::manifest::{TableEntry, hexadecimal};
use crate::settings::DatabaseUrl;

/// U+0000 in a row, which is a JSON object.
const NUL: &str = "\\u0000";

/// Number and digest of the rows of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct RowTotal {
    rows: u64,
    digest: [u8; SHA256_OUTPUT_LEN],
}

impl RowTotal {
    fn add(&mut self, row: &str) {
        self.rows += 1;
        let of_row = digest(&SHA256, row.as_bytes());
        for (sum, byte) in self.digest.iter_mut().zip(of_row.as_ref()) {
            *sum ^= byte;
        }
    }
}

/// Totals of all tables.
#[derive(Debug, Default)]
pub(super) struct Totals {
    tables: BTreeMap<String, RowTotal>,
    /// Table and row of the first text with U+0000.
    nul: Option<(String, String)>,
}

impl Totals {
    /// Adds rows of a table.
    pub(super) fn add<'r>(&mut self, table: &str, rows: impl Iterator<Item = &'r str>) {
        let total = self.tables.entry(table.to_owned()).or_default();
        for row in rows {
            total.add(row);
            if self.nul.is_none() && contains_nul(row) {
                self.nul = Some((table.to_owned(), row.to_owned()));
            }
        }
    }

    /// Returns the entries of the tables of a snapshot, without parts.
    pub(super) fn entries(&self, snapshot: &Snapshot) -> Vec<TableEntry> {
        let none = RowTotal::default();
        let entry = |table: &SnapshotTable| {
            let total = self.tables.get(&table.name).unwrap_or(&none);
            TableEntry {
                name: table.name.clone(),
                key: table.key.clone(),
                rows: total.rows,
                digest: hexadecimal(&total.digest),
                last_id: table.last_id,
                parts: Vec::new(),
            }
        };
        snapshot.tables.iter().map(entry).collect()
    }

    /// Compares the totals with the expected ones, and returns the first difference.
    pub(super) fn difference(&self, expected: &[TableEntry]) -> Option<String> {
        let none = RowTotal::default();
        expected.iter().find_map(|table| {
            let total = self.tables.get(&table.name).unwrap_or(&none);
            let is_same =
                (total.rows, hexadecimal(&total.digest)) == (table.rows, table.digest.clone());
            (!is_same).then(|| {
                format!(
                    "the rows of {} differ ({} found, {} expected)",
                    table.name, total.rows, table.rows
                )
            })
        })
    }

    /// Verifies that a database can store all texts: PostgreSQL stores no U+0000.
    ///
    /// # Errors
    /// [`TransferError::InvalidText`] names the row.
    pub(super) fn check_text(
        &self,
        target: &DatabaseUrl,
        snapshot: &Snapshot,
    ) -> Result<(), TransferError> {
        let (DatabaseUrl::Postgres(_), Some((name, row))) = (target, &self.nul) else {
            return Ok(());
        };
        let table = snapshot.tables.iter().find(|table| table.name == *name);
        let key = table.map(|table| table.key.as_slice()).unwrap_or_default();
        let problem = "a text contains U+0000, which PostgreSQL cannot store";
        Err(TransferError::invalid_text(name, key, row, problem))
    }
}

/// True if a text in a JSON object contains U+0000. The digits after two backslashes are plain text.
fn contains_nul(row: &str) -> bool {
    row.match_indices(NUL).any(|(place, _)| {
        let before = row.bytes().take(place).rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn totals(rows: &[&str]) -> Totals {
        let mut totals = Totals::default();
        totals.add("t", rows.iter().copied());
        totals
    }

    #[test]
    fn the_total_of_rows_is_the_same_in_any_order_and_another_for_other_rows() {
        let total = |rows: &[&str]| totals(rows).tables["t"].clone();
        assert_eq!(total(&["a", "b"]), total(&["b", "a"]));
        assert_ne!(total(&["a", "b"]), total(&["a", "c"]));
        assert_ne!(total(&["a", "a"]), total(&[]));
    }

    #[test]
    fn a_text_with_nul_is_found_and_named_by_its_key() {
        let found = |row: &str| totals(&[row]).nul.is_some();
        assert!(found(r#"{"id":7,"title":"a\u0000b"}"#));
        assert!(found(r#"{"id":7,"title":"a\\\u0000b"}"#));
        assert!(!found(r#"{"id":7,"title":"a\\u0000b"}"#));
        let snapshot = Snapshot {
            migrations: Vec::new(),
            tables: vec![SnapshotTable {
                name: "t".to_owned(),
                key: vec!["id".to_owned(), "part".to_owned()],
                last_id: None,
            }],
        };
        let rows = [
            r#"{"id":6,"part":1,"title":""}"#,
            r#"{"id":7,"part":2,"title":"\u0000"}"#,
        ];
        let of = |url: &str| {
            let target = DatabaseUrl::parse(url).unwrap();
            totals(&rows)
                .check_text(&target, &snapshot)
                .map_err(|error| error.to_string())
        };
        assert_eq!(of("sqlite:db"), Ok(()));
        let error = of("postgres://there/db").unwrap_err();
        assert!(
            error.starts_with("table t, row id = 7, part = 2: a text contains U+0000"),
            "{error}"
        );
    }
}
