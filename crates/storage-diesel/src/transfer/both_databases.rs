//! Transfer of rows in every table from SQLite to PostgreSQL and back.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Text};
use test_databases::TestDatabase;

use super::tests::MemorySnapshot;
use super::*;
use crate::{PostgresStore, SqliteStore};

/// Texts that an encoding may get wrong.
const TEXTS: [&str; 4] = [
    "'; DROP TABLE users; -- \" \\ \\u0000 \\x00 $1 {} [] null",
    "\u{1}\u{8}\t\n\u{b}\u{c}\r\u{1f}\u{7f}\u{85}\u{2028}\u{feff}\u{fffd}",
    "\u{1f469}\u{200d}\u{1f692} \u{202e}e\u{301} \u{10ffff} Ω ß",
    "",
];

/// Column of a table, as PostgreSQL describes it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of the column in the catalog"
)]
#[derive(Debug, QueryableByName)]
struct TypedColumn {
    #[diesel(sql_type = Text)]
    of: String,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Bool)]
    is_nullable: bool,
    #[diesel(sql_type = Bool)]
    is_identity: bool,
    #[diesel(sql_type = Bool)]
    is_reference: bool,
    #[diesel(sql_type = Bool)]
    is_referenced: bool,
    #[diesel(sql_type = Bool)]
    is_unique: bool,
}

const COLUMNS: &str = "SELECT c.table_name::text AS \"of\", c.column_name::text AS name, c.data_type::text AS kind, \
    c.is_nullable = 'YES' AS is_nullable, c.is_identity = 'YES' AS is_identity, \
    EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND conrelid = a.attrelid AND a.attnum = ANY (conkey)) \
        AS is_reference, \
    EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND confrelid = a.attrelid) AS is_referenced, \
    EXISTS (SELECT FROM pg_index WHERE indisunique AND indrelid = a.attrelid AND a.attnum = ANY (indkey)) AS is_unique \
    FROM information_schema.columns AS c \
    JOIN pg_attribute AS a ON a.attrelid = quote_ident(c.table_name)::regclass AND a.attname = c.column_name \
    WHERE c.table_schema = 'public' AND c.table_name NOT LIKE '\\_\\_diesel%' ORDER BY 1, 2";

#[derive(QueryableByName)]
struct NewId {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// Tables with one row only.
const SINGLE: [&str; 2] = ["auth_epoch", "store_probe"];

impl TypedColumn {
    /// Returns a value for row `number` of the table, as a literal of SQL.
    fn value(&self, number: usize, binary: fn(&[u8]) -> String) -> String {
        // Either of two columns of these tables is NULL.
        let is_either = matches!(
            self.of.as_str(),
            "deletions" | "former_paths" | "full_paths"
        );
        let is_null = match (is_either, self.name.as_str()) {
            (true, "namespace_id") => true,
            (true, "project_id") => false,
            _ => self.is_nullable && !self.is_unique && number == 3,
        };
        if is_null {
            return "NULL".to_owned();
        }
        let is_key = self.is_identity || self.is_unique || self.is_reference || self.name == "id";
        let pick = |values: [i64; 3]| values[number % 3].to_string();
        match self.kind.as_str() {
            "bigint" | "integer" | "smallint" if is_key => {
                // Row 4 refers to existing rows, in combinations of its own.
                let referenced = match (number, self.name.as_str()) {
                    (4.., "project_id") => 3,
                    (4.., _) => 1,
                    _ => number,
                };
                if self.is_reference {
                    referenced.to_string()
                } else {
                    number.to_string()
                }
            }
            "bigint" => pick([i64::MIN, i64::MAX, 1 << 53 | 1]),
            "integer" => pick([i64::from(i32::MIN), i64::from(i32::MAX), 0]),
            "smallint" => pick([i64::from(i16::MIN), i64::from(i16::MAX), 0]),
            "boolean" => number.is_multiple_of(2).to_string(),
            "bytea" if self.name == "blocks" => binary(&[0xa5; 64]),
            "bytea" if is_key => binary(&[0, 255, u8::try_from(number).unwrap()]),
            "bytea" => binary([&[][..], &(0..=255).collect::<Vec<u8>>(), &[0]][number % 3]),
            "text" => {
                let beginning = if is_key {
                    number.to_string()
                } else {
                    String::new()
                };
                let text = TEXTS[number % TEXTS.len()].replace('\'', "''");
                format!("'{beginning}{text}'")
            }
            other => panic!("{} has the type {other}", self.name),
        }
    }
}

/// Returns a statement that inserts row `number` into a table, with the columns that `is_given` selects.
fn insertion(
    table: &str,
    columns: &[&TypedColumn],
    number: usize,
    binary: fn(&[u8]) -> String,
) -> String {
    let names = listed(columns.iter().map(|column| column.name.as_str()));
    let values: Vec<String> = columns
        .iter()
        .map(|column| column.value(number, binary))
        .collect();
    let values = values.join(", ");
    format!("INSERT INTO {} ({names}) VALUES ({values})", quoted(table))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    digits.concat()
}

/// Fills every table of a new SQLite file, and then empties some of those to which no other refers.
/// Returns the emptied tables.
fn fill(path: &Path, columns: &BTreeMap<String, Vec<TypedColumn>>) -> BTreeSet<String> {
    let mut connection = SqliteConnection::establish(&path.display().to_string()).unwrap();
    crate::sqlite::open::know_all_letters(&mut connection).unwrap();
    crate::migrate::sqlite(&mut connection).unwrap();
    let settings = "PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN";
    connection.batch_execute(settings).unwrap();
    for (table, columns) in columns {
        let rows = if SINGLE.contains(&table.as_str()) {
            1
        } else {
            3
        };
        connection
            .batch_execute(&format!("DELETE FROM {}", quoted(table)))
            .unwrap();
        for number in 1..=rows {
            let all: Vec<&TypedColumn> = columns.iter().collect();
            let insert = insertion(table, &all, number, |bytes| {
                format!("X'{}'", hexadecimal(bytes))
            });
            connection
                .batch_execute(&insert)
                .unwrap_or_else(|error| panic!("{insert}: {error}"));
        }
    }
    let leaves = columns
        .iter()
        .filter(|(_, columns)| !columns[0].is_referenced)
        .map(|(table, _)| table.clone());
    let emptied: BTreeSet<String> = leaves.step_by(3).collect();
    for table in &emptied {
        let delete = format!("DELETE FROM {}", quoted(table));
        connection.batch_execute(&delete).unwrap();
    }
    let others = "UPDATE alert_ids SET next_id = 4; COMMIT; \
                  CREATE TABLE _litestream_lock (id INTEGER); CREATE TABLE _litestream_seq (id INTEGER, seq INTEGER);";
    connection.batch_execute(others).unwrap();
    emptied
}

fn exported<D: Dialect>(database: &mut D) -> MemorySnapshot {
    let mut kept = MemorySnapshot::default();
    export(database, &mut kept).unwrap();
    kept
}

/// Returns the rows of a snapshot with the names of their tables, in one order.
fn rows(snapshot: &MemorySnapshot) -> Vec<(String, String)> {
    let mut rows = snapshot.rows.clone();
    rows.sort();
    rows
}

#[test]
fn rows_of_every_table_go_to_postgresql_and_back_and_their_ids_continue() {
    let (Some(database), Some(target)) = (TestDatabase::empty(), TestDatabase::empty()) else {
        return;
    };
    let connect = || PgConnection::establish(database.url()).unwrap();
    let mut server = connect();
    crate::migrate::postgres(&mut connect(), &mut server).unwrap();
    let described: Vec<TypedColumn> = diesel::sql_query(COLUMNS).load(&mut server).unwrap();
    let mut columns: BTreeMap<String, Vec<TypedColumn>> = BTreeMap::new();
    for column in described {
        columns.entry(column.of.clone()).or_default().push(column);
    }
    let directory = tempfile::tempdir().unwrap();
    let (there, back) = (
        directory.path().join("there"),
        directory.path().join("back"),
    );
    let emptied = fill(&there, &columns);
    let open = |path: &Path| {
        let path = crate::sqlite::open::existing(path);
        SqliteConnection::establish(&path).unwrap()
    };
    let source = exported(&mut open(&there));
    let snapshot = source.snapshot.clone().unwrap();
    assert_eq!(snapshot.tables.len(), columns.len());
    let mut of_a_copy = MemorySnapshot::default();
    sqlite::export_file(&there, &mut of_a_copy).unwrap();
    assert_eq!(rows(&of_a_copy), rows(&source));
    assert_eq!(of_a_copy.snapshot.as_ref(), Some(&snapshot));
    let filled: BTreeSet<&str> = source
        .rows
        .iter()
        .map(|(table, _)| table.as_str())
        .collect();
    assert_eq!(filled.len() + emptied.len(), columns.len());

    transfer(source.clone(), |import| {
        PostgresStore::import(target.url(), import)
    });
    let mut server = PgConnection::establish(target.url()).unwrap();
    let mut copy = MemorySnapshot::default();
    postgres::export_server(&mut server, &mut copy).unwrap();
    assert_eq!(rows(&copy), rows(&source));
    transfer(copy, |import| SqliteStore::import(&back, import));
    let returned = exported(&mut open(&back));
    assert_eq!(rows(&returned), rows(&source));
    assert_eq!(returned.snapshot.unwrap(), snapshot);

    for (table, columns) in &columns {
        let given: Vec<&TypedColumn> = columns
            .iter()
            .filter(|column| !column.is_identity)
            .collect();
        if given.len() == columns.len() {
            continue;
        }
        let insert = insertion(table, &given, 4, |bytes| {
            format!("'\\x{}'", hexadecimal(bytes))
        });
        let insert = format!("{insert} RETURNING id");
        let new: NewId = diesel::sql_query(&insert)
            .get_result(&mut server)
            .unwrap_or_else(|error| panic!("{insert}: {error}"));
        let last = snapshot.tables.iter().find(|of| of.name == *table).unwrap();
        let is_reused = emptied.contains(table) && last.last_id.is_none();
        assert_eq!(new.id, if is_reused { 1 } else { 4 }, "{table}");
    }
    let next: NewId = diesel::sql_query("SELECT nextval('alert_ids') AS id")
        .get_result(&mut server)
        .unwrap();
    assert_eq!(next.id, 4);
}

/// Imports all rows of a snapshot.
fn transfer(
    mut source: MemorySnapshot,
    import: impl FnOnce(&mut Import<'_>) -> Result<(), TransferError>,
) {
    let snapshot = source.snapshot.clone().unwrap();
    let mut import_of = Import {
        snapshot: &snapshot,
        source: &mut source,
        check: &mut MemorySnapshot::default(),
    };
    import(&mut import_of).unwrap();
}

#[test]
fn a_text_that_is_not_utf_8_is_named_by_its_table_and_key() {
    let mut connection = SqliteConnection::establish(":memory:").unwrap();
    crate::sqlite::open::know_all_letters(&mut connection).unwrap();
    crate::migrate::sqlite(&mut connection).unwrap();
    let row = "PRAGMA foreign_keys = OFF; INSERT INTO labels (id, project_id, title, color, created_at, updated_at) \
               VALUES (7, 1, CAST(x'61ff' AS TEXT), '#000000', 1, 1)";
    connection.batch_execute(row).unwrap();
    let error = export(&mut connection, &mut MemorySnapshot::default()).unwrap_err();
    let text = "table labels, row id = 7: a text is not valid UTF-8; correct it in the source database and try again";
    assert_eq!(error.to_string(), text);
}
