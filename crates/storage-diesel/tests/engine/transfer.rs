//! Transfer of all rows from one database into an empty one of the same kind.

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection};
use storage_conformance::accounts::insert_people;
use storage_conformance::projects::insert_places;
use storage_diesel::{
    Import, PostgresOptions, PostgresStore, RowBatch, RowSink, RowSource, Snapshot, SqliteOptions,
    SqliteStore, TransferError,
};
use test_databases::TestDatabase;

use crate::databases::{TestSettings, postgres, sqlite};

/// Stores rows, and returns them again in reverse order, because no order is promised.
#[derive(Debug, Default)]
struct SnapshotBuffer {
    rows: Vec<(String, String)>,
    snapshot: Option<Snapshot>,
    given: usize,
}

impl SnapshotBuffer {
    fn sorted(&self) -> Vec<(String, String)> {
        let mut rows = self.rows.clone();
        rows.sort();
        rows
    }
}

impl RowSink for SnapshotBuffer {
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError> {
        let named = rows.iter().map(|row| (table.to_owned(), row.clone()));
        self.rows.extend(named);
        Ok(())
    }

    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError> {
        self.snapshot = Some(snapshot.clone());
        Ok(())
    }
}

impl RowSource for SnapshotBuffer {
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError> {
        let batch = self
            .rows
            .iter()
            .rev()
            .nth(self.given)
            .map(|(table, row)| RowBatch {
                table: table.clone(),
                rows: format!("[{row}]"),
            });
        self.given += 1;
        Ok(batch)
    }
}

/// Imports the stored rows, and returns them as read afterwards.
fn imported(
    kept: &mut SnapshotBuffer,
    import: impl FnOnce(&mut Import<'_>) -> Result<(), TransferError>,
) -> Result<SnapshotBuffer, TransferError> {
    let snapshot = kept.snapshot.clone().unwrap();
    let mut check = SnapshotBuffer::default();
    import(&mut Import {
        snapshot: &snapshot,
        source: kept,
        check: &mut check,
    })?;
    Ok(check)
}

/// Limits of column types, texts that JSON escapes, bytes, nulls; and an id that was used and deleted.
/// The parent has a higher id than its child.
const ROWS: &str = "
    INSERT INTO labels (project_id, title, description, color, priority, created_at, updated_at)
    VALUES (1, 'plain', NULL, '#000000', NULL, 9223372036854775807, -9223372036854775808),
           (1, 'quo\"te \\ back', '\u{1}\n\t\r\u{8}\u{c}\u{7f}\u{2028}', '#ffffff', 7, 0, 0),
           (1, '\u{e9}moji \u{1f980} {\"json\": [1, null]}', '', '#123456', 0, 1, 2),
           (1, '\\x00', 'null', '#123456', 0, 1, 2),
           (1, 'gone', NULL, '#123456', 0, 1, 2);
    DELETE FROM labels WHERE title = 'gone';
    UPDATE namespaces SET parent_id = (SELECT max(id) FROM namespaces) WHERE id = (SELECT min(id) FROM namespaces);
";

/// A row whose project does not exist.
const ORPHAN: (&str, &str) = (
    "labels",
    r##"{"color":"#000000","created_at":1,"description":null,"id":77,"priority":null,"project_id":99,"title":"lost","updated_at":1}"##,
);

#[derive(QueryableByName)]
struct Id {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    id: i64,
}

/// Inserts a label and returns its id.
const NEXT: &str = "INSERT INTO labels (project_id, title, color, created_at, updated_at) \
                    VALUES (1, 'next', '#000000', 1, 1) RETURNING id";

#[test]
fn everything_in_a_file_comes_back_as_it_was() {
    let (store, directory) = sqlite(TestSettings::default());
    let people = insert_people(&store);
    insert_places(&store, people[0]);
    let path = directory.path().join("db.sqlite3");
    let mut connection = SqliteConnection::establish(&path.display().to_string()).unwrap();
    connection.batch_execute(ROWS).unwrap();
    // Tables of other programs, such as a replicator, are not exported.
    connection
        .batch_execute("CREATE TABLE _of_others (id INTEGER)")
        .unwrap();
    let mut kept = SnapshotBuffer::default();
    store.export(&mut kept).unwrap();
    let names: Vec<&str> = kept.rows.iter().map(|(table, _)| table.as_str()).collect();
    for table in ["labels", "users", "projects", "auth_epoch", "store_probe"] {
        assert!(names.contains(&table), "{table}");
    }
    let copy = directory.path().join("copy.sqlite3");
    let check = imported(&mut kept, |import| SqliteStore::import(&copy, import)).unwrap();
    assert_eq!(check.sorted(), kept.sorted());
    assert_eq!(check.snapshot, kept.snapshot);
    let again = SqliteStore::open(&copy, SqliteOptions::default()).unwrap();
    assert!(again.integrity_errors().unwrap().is_empty());
    let mut twice = SnapshotBuffer::default();
    again.export(&mut twice).unwrap();
    assert_eq!(twice.sorted(), kept.sorted());
    let mut connection = SqliteConnection::establish(&copy.display().to_string()).unwrap();
    let next: Id = diesel::sql_query(NEXT).get_result(&mut connection).unwrap();
    assert_eq!(next.id, 6, "the id of the deleted row is not reused");
}

#[test]
fn everything_on_a_server_comes_back_as_it_was() {
    let (Some((store, database)), Some(copy)) =
        (postgres(TestSettings::default()), TestDatabase::empty())
    else {
        return;
    };
    let people = insert_people(&store);
    insert_places(&store, people[0]);
    let mut connection = PgConnection::establish(database.url()).unwrap();
    connection.batch_execute(ROWS).unwrap();
    let mut kept = SnapshotBuffer::default();
    store.export(&mut kept).unwrap();
    let check = imported(&mut kept, |import| {
        PostgresStore::import(copy.url(), import)
    })
    .unwrap();
    assert_eq!(check.sorted(), kept.sorted());
    let again = PostgresStore::open(copy.url(), PostgresOptions::default()).unwrap();
    assert!(again.integrity_errors().unwrap().is_empty());
    let mut connection = PgConnection::establish(copy.url()).unwrap();
    let next: Id = diesel::sql_query(NEXT).get_result(&mut connection).unwrap();
    assert_eq!(next.id, 6, "the id of the deleted row is not reused");
    let orphan = connection.batch_execute("UPDATE labels SET project_id = 99");
    assert!(orphan.is_err(), "foreign keys are enforced again");
    drop(connection);
    // The existing rows are left alone.
    kept.given = 0;
    let refused = imported(&mut kept, |import| {
        PostgresStore::import(copy.url(), import)
    });
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("is not empty: it contains the tables"),
        "{refused}"
    );
}

#[test]
fn rows_that_do_not_fit_together_are_refused_and_leave_nothing() {
    let (store, directory) = sqlite(TestSettings::default());
    let mut kept = SnapshotBuffer::default();
    store.export(&mut kept).unwrap();
    kept.rows.push((ORPHAN.0.to_owned(), ORPHAN.1.to_owned()));
    let copy = directory.path().join("copy.sqlite3");
    let refused = imported(&mut kept, |import| SqliteStore::import(&copy, import));
    let refused = refused.unwrap_err().to_string();
    assert!(
        refused.contains("labels references a missing row in projects"),
        "{refused}"
    );
    let files = std::fs::read_dir(directory.path()).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names.filter(|name| name.starts_with("copy")).collect();
    assert_eq!(left, ["copy.sqlite3-lock"]);

    let (Some((store, _database)), Some(copy)) =
        (postgres(TestSettings::default()), TestDatabase::empty())
    else {
        return;
    };
    let mut kept = SnapshotBuffer::default();
    store.export(&mut kept).unwrap();
    kept.rows.push((ORPHAN.0.to_owned(), ORPHAN.1.to_owned()));
    imported(&mut kept, |import| {
        PostgresStore::import(copy.url(), import)
    })
    .unwrap_err();
    kept.rows.pop();
    kept.given = 0;
    imported(&mut kept, |import| {
        PostgresStore::import(copy.url(), import)
    })
    .unwrap();
}
