//! Private copy of the tables of a SQLite file, from which an export reads.
//!
//! A read transaction on the database keeps its journal from being used again, and reading through a long journal is slow.
//! The tables are copied in a third of the time of a backup, because SQLite copies records of equal tables as they are, and
//! the indexes are left out.

use std::path::Path;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::{TransferError, quoted};
use crate::migrate;
use crate::sqlite::{open, room};

/// Settings of the connection that fills the copy, which is never read after a failure.
/// With foreign keys, SQLite would insert row by row.
const COPY_SETTINGS: &str = "PRAGMA page_size = 4096; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; \
                             PRAGMA main.locking_mode = EXCLUSIVE; PRAGMA foreign_keys = OFF; PRAGMA temp_store = MEMORY; \
                             PRAGMA cache_size = -4096; PRAGMA busy_timeout = 2000;";

/// Statement that created a table of the database.
#[derive(QueryableByName)]
struct CreatedTable {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    sql: String,
}

#[derive(QueryableByName)]
struct SourceSize {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

/// Copies the tables of this program at one instant, and returns a connection to the copy.
/// The copy is beside the database and has no name, so it is gone when the connection is closed or the process ends.
/// `None` if the disk has less than twice the room that the database takes.
pub(super) fn copy(path: &Path) -> Result<Option<SqliteConnection>, TransferError> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let failed = |source| TransferError::File {
        file: directory.to_owned(),
        source,
    };
    let named = tempfile::NamedTempFile::new_in(directory).map_err(failed)?;
    let mut copy = SqliteConnection::establish(&open::existing(named.path()))?;
    open::know_all_letters(&mut copy)?;
    copy.batch_execute(COPY_SETTINGS)?;
    // The first transaction opens the file, which needs its name until then.
    copy.batch_execute("BEGIN IMMEDIATE; COMMIT")?;
    named.close().map_err(failed)?;
    let attach = diesel::sql_query("ATTACH ? AS source");
    attach
        .bind::<Text, _>(open::existing(path))
        .execute(&mut copy)?;
    // An immediate transaction would lock the database too.
    copy.batch_execute("BEGIN")?;
    if !has_room(size_of_source(&mut copy)?, room(directory)) {
        tracing::warn!(
            "no copy of the tables, because the disk has less than twice the room of the database; the journal grows until the export is done"
        );
        return Ok(None);
    }
    copy_tables(&mut copy)?;
    copy.batch_execute("COMMIT; DETACH source; PRAGMA query_only = ON;")?;
    Ok(Some(copy))
}

fn size_of_source(copy: &mut SqliteConnection) -> QueryResult<u64> {
    let size = "SELECT page_count * page_size AS bytes FROM pragma_page_count AS counted, pragma_page_size AS sized \
                WHERE counted.schema = 'source' AND sized.schema = 'source'";
    let size: SourceSize = diesel::sql_query(size).get_result(copy)?;
    Ok(size.bytes.unsigned_abs())
}

/// True if a copy of this size leaves enough room for the journal.
fn has_room(bytes: u64, room: Option<u64>) -> bool {
    room.is_some_and(|room| room >= bytes.saturating_mul(2))
}

fn copy_tables(copy: &mut SqliteConnection) -> QueryResult<()> {
    let ours = migrate::tables(migrate::SQLITE);
    let tables = "SELECT name, sql FROM source.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let tables: Vec<CreatedTable> = diesel::sql_query(tables).load(copy)?;
    let is_ours = |table: &&CreatedTable| {
        ours.contains(&table.name) || table.name == migrate::APPLIED_MIGRATIONS
    };
    for table in tables.iter().filter(is_ours) {
        let name = quoted(&table.name);
        copy.batch_execute(&format!(
            "{}; INSERT INTO main.{name} SELECT * FROM source.{name};",
            table.sql
        ))?;
    }
    copy.batch_execute(
        "DELETE FROM main.sqlite_sequence; INSERT INTO main.sqlite_sequence SELECT * FROM source.sqlite_sequence;",
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::transfer::sqlite::export_file;
    use crate::transfer::{RowSink, Snapshot};

    /// Writes to the database at each batch of rows, and reclaims its journal.
    struct WritingSink {
        directory: PathBuf,
        writer: SqliteConnection,
        batches: usize,
        files: Vec<String>,
    }

    #[derive(QueryableByName)]
    struct Checkpoint {
        #[diesel(sql_type = diesel::sql_types::Integer)]
        busy: i32,
        #[diesel(sql_type = diesel::sql_types::Integer)]
        log: i32,
    }

    impl RowSink for WritingSink {
        fn rows(&mut self, _: &str, rows: &[String]) -> Result<(), TransferError> {
            assert!(!rows.iter().any(|row| row.contains("later")), "{rows:?}");
            self.batches += 1;
            let number = 100 + self.batches;
            let later = format!(
                "INSERT INTO labels (id, project_id, title, color, created_at, updated_at) \
                 VALUES ({number}, 1, 'later {number}', '', 1, 1)"
            );
            self.writer.batch_execute(&later)?;
            let checkpoint = diesel::sql_query("PRAGMA wal_checkpoint(TRUNCATE)");
            let checkpoint: Checkpoint = checkpoint.get_result(&mut self.writer)?;
            assert_eq!((checkpoint.busy, checkpoint.log), (0, 0));
            let files = std::fs::read_dir(&self.directory).unwrap();
            let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            self.files = files.collect();
            self.files.sort();
            Ok(())
        }

        fn finish(&mut self, _: &Snapshot) -> Result<(), TransferError> {
            Ok(())
        }
    }

    #[test]
    fn the_journal_is_used_again_while_rows_are_exported() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("db.sqlite3");
        let mut writer = SqliteConnection::establish(&path.display().to_string()).unwrap();
        open::know_all_letters(&mut writer).unwrap();
        migrate::sqlite(&mut writer).unwrap();
        let rows = "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = OFF; \
                    INSERT INTO labels (id, project_id, title, color, created_at, updated_at) VALUES (7, 1, 'a', '', 1, 1)";
        writer.batch_execute(rows).unwrap();
        let mut sink = WritingSink {
            directory: directory.path().to_owned(),
            writer,
            batches: 0,
            files: Vec::new(),
        };
        export_file(&path, &mut sink).unwrap();
        assert!(sink.batches > 1, "{}", sink.batches);
        assert_eq!(
            sink.files,
            ["db.sqlite3", "db.sqlite3-shm", "db.sqlite3-wal"]
        );
    }

    #[test]
    fn a_copy_needs_twice_the_room_of_the_database() {
        for (room, is_enough) in [(None, false), (Some(199), false), (Some(200), true)] {
            assert_eq!(has_room(100, room), is_enough, "{room:?}");
        }
    }
}
