//! Export from a SQLite file and import into a new one.

use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use diesel::connection::{DefaultLoadingMode, SimpleConnection as _};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Binary, Nullable, Text};

use super::{
    ALERT_IDS, Column, Dialect, Import, RowSink, SnapshotTable, TransferError, listed, quoted,
    sqlite_copy,
};
use crate::migrate::{self, MigrationFile};
use crate::sqlite::{beside, open};

/// Table whose ids [`ALERT_IDS`] assigns.
const ALERTS: &str = "alerts";

/// Suffix of the file that an interrupted import leaves beside the path of the database.
const UNFINISHED: &str = "-restoring";

/// Settings of the connection that fills the file.
/// The file is deleted if anything fails, so the disk needs no journal.
const IMPORT_SETTINGS: &str = "PRAGMA page_size = 4096; PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; \
                       PRAGMA foreign_keys = OFF; PRAGMA cache_size = -16384;";

#[derive(QueryableByName)]
struct SqliteName {
    #[diesel(sql_type = Text)]
    name: String,
}

/// Row as a JSON object, in the bytes that the file contains.
#[derive(QueryableByName)]
struct SqliteJsonRow {
    #[diesel(sql_type = Binary)]
    line: Vec<u8>,
}

#[derive(QueryableByName)]
struct LastId {
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = BigInt)]
    seq: i64,
}

#[derive(QueryableByName)]
struct Orphan {
    #[diesel(sql_type = Text)]
    table: String,
    #[diesel(sql_type = Nullable<BigInt>)]
    rowid: Option<i64>,
    #[diesel(sql_type = Text)]
    parent: String,
}

/// Continues the ids of a table that does not reuse them. Other tables need no last id.
const LAST_ID: &str = "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2 FROM sqlite_schema \
                       WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%'";

/// Continues the ids of alerts.
const NEXT_ALERT_ID: &str =
    "UPDATE alert_ids SET next_id = ?2 + 1 WHERE ?1 = 'alerts' AND next_id <= ?2";

impl Dialect for SqliteConnection {
    const STEPS: &'static [MigrationFile] = migrate::SQLITE;

    fn applied(&mut self) -> Result<Vec<String>, TransferError> {
        Ok(migrate::applied_versions(self, Self::STEPS)?)
    }

    fn migrate(&mut self, versions: &[String]) -> Result<(), TransferError> {
        Ok(migrate::apply_versions(self, Self::STEPS, versions)?)
    }

    fn tables(&mut self) -> Result<Vec<String>, TransferError> {
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
        let names: Vec<SqliteName> = diesel::sql_query(names).load(self)?;
        Ok(names.into_iter().map(|table| table.name).collect())
    }

    fn columns(&mut self, table: &str) -> Result<Vec<Column>, TransferError> {
        let columns = "SELECT name, upper(type) AS kind FROM pragma_table_info(?) ORDER BY name";
        let columns = diesel::sql_query(columns).bind::<Text, _>(table);
        Ok(columns.load(self)?)
    }

    fn key(&mut self, table: &str) -> Result<Vec<String>, TransferError> {
        let names = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk";
        let names = diesel::sql_query(names).bind::<Text, _>(table);
        let names: Vec<SqliteName> = names.load(self)?;
        Ok(names.into_iter().map(|column| column.name).collect())
    }

    fn last_ids(&mut self) -> Result<BTreeMap<String, i64>, TransferError> {
        let ids = diesel::sql_query("SELECT name, seq FROM sqlite_sequence");
        let mut ids: Vec<LastId> = ids.load(self)?;
        if self.tables()?.iter().any(|table| table == ALERT_IDS) {
            let next = format!("SELECT '{ALERTS}' AS name, next_id - 1 AS seq FROM {ALERT_IDS}");
            ids.extend(diesel::sql_query(next).load::<LastId>(self)?);
        }
        Ok(ids.into_iter().map(|id| (id.name, id.seq)).collect())
    }

    fn each_row(
        &mut self,
        table: &str,
        columns: &[Column],
        take: &mut dyn FnMut(String) -> Result<(), TransferError>,
    ) -> Result<(), TransferError> {
        let key = self.key(table)?;
        let members: Vec<String> = columns.iter().map(member).collect();
        let (members, from) = (members.join(", "), quoted(table));
        let rows = format!("SELECT CAST(json_object({members}) AS BLOB) AS line FROM {from}");
        let rows = diesel::sql_query(rows).load_iter::<SqliteJsonRow, DefaultLoadingMode>(self)?;
        for row in rows {
            let row = String::from_utf8(row?.line).map_err(|error| {
                let row = String::from_utf8_lossy(error.as_bytes());
                TransferError::invalid_text(table, &key, &row, "a text is not valid UTF-8")
            })?;
            take(row)?;
        }
        Ok(())
    }

    fn clear(&mut self, tables: &[String]) -> Result<(), TransferError> {
        for table in tables {
            self.batch_execute(&format!("DELETE FROM {}", quoted(table)))?;
        }
        Ok(())
    }

    fn insert(&mut self, table: &str, columns: &[Column], rows: &str) -> Result<(), TransferError> {
        let names = listed(columns.iter().map(|column| column.name.as_str()));
        let values: Vec<String> = columns.iter().map(value).collect();
        let (table, values) = (quoted(table), values.join(", "));
        let insert = format!("INSERT INTO {table} ({names}) SELECT {values} FROM json_each(?)");
        diesel::sql_query(insert)
            .bind::<Text, _>(rows)
            .execute(self)?;
        Ok(())
    }

    fn complete(&mut self, tables: &[SnapshotTable]) -> Result<(), TransferError> {
        self.batch_execute("DELETE FROM sqlite_sequence")?;
        for table in tables {
            let Some(last_id) = table.last_id else {
                continue;
            };
            let statement = if table.name == ALERTS {
                NEXT_ALERT_ID
            } else {
                LAST_ID
            };
            diesel::sql_query(statement)
                .bind::<Text, _>(&table.name)
                .bind::<BigInt, _>(last_id)
                .execute(self)?;
        }
        let orphan = diesel::sql_query(
            "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 1",
        );
        match orphan.get_result::<Orphan>(self).optional()? {
            None => Ok(()),
            Some(orphan) => Err(TransferError::Unsound(format!(
                "row {} of {} references a missing row in {}",
                orphan.rowid.unwrap_or_default(),
                orphan.table,
                orphan.parent
            ))),
        }
    }
}

/// Returns a column as a name and a value of a JSON object.
fn member(column: &Column) -> String {
    let (name, label) = (quoted(&column.name), column.name.replace('\'', "''"));
    let value = match column.kind.as_str() {
        "BLOB" => {
            format!("CASE WHEN {name} IS NULL THEN NULL ELSE '\\x' || lower(hex({name})) END")
        }
        "BOOLEAN" => format!("json(CASE {name} WHEN 0 THEN 'false' WHEN 1 THEN 'true' END)"),
        _ => name,
    };
    format!("'{label}', {value}")
}

/// Returns the value of a column from a JSON object.
fn value(column: &Column) -> String {
    let path = format!("'$.{}'", quoted(&column.name).replace('\'', "''"));
    match column.kind.as_str() {
        "BLOB" => format!("unhex(substr(json_extract(value, {path}), 3))"),
        _ => format!("json_extract(value, {path})"),
    }
}

/// Opens the database itself for reading.
fn reader(path: &Path) -> Result<SqliteConnection, TransferError> {
    let mut connection = SqliteConnection::establish(&open::existing(path))?;
    open::configure_reader(&mut connection)?;
    Ok(connection)
}

/// Exports the file at `path` as of one instant.
/// Writers continue in the meantime.
pub(crate) fn export_file(path: &Path, sink: &mut dyn RowSink) -> Result<(), TransferError> {
    let copied = sqlite_copy::copy(path).unwrap_or_else(|error| {
        // A full disk or a damaged page is no reason to try nothing.
        tracing::warn!(%error, "cannot copy the tables; the journal grows until the export is done");
        None
    });
    let mut connection = copied.map_or_else(|| reader(path), Ok)?;
    connection.transaction(|connection| super::export(connection, sink))
}

/// Returns the file that an interrupted import left for a database at `path`, if there is one.
pub(crate) fn unfinished(path: &Path) -> Option<PathBuf> {
    let file = beside(path, UNFINISHED);
    file.exists().then_some(file)
}

/// Creates the database at `path` from rows.
/// It is filled beside that path and renamed last, so if the process ends early, there is no database at the path.
pub(crate) fn import_file(path: &Path, import: &mut Import<'_>) -> Result<(), TransferError> {
    let _lock = claim(path)?;
    let file = beside(path, UNFINISHED);
    let filled = fill(&file, import).and_then(|()| put_in_place(&file, path));
    if filled.is_err() {
        // Reports the first error; the next import deletes the remains.
        let _ = delete(&file);
    }
    filled
}

/// Takes the lock of the database, checks that there is none, and deletes the remains of an earlier import.
fn claim(path: &Path) -> Result<File, TransferError> {
    let lock_file = beside(path, "-lock");
    let failed = |source| TransferError::File {
        file: lock_file.clone(),
        source,
    };
    let lock = open::lock_file(path).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            return Err(TransferError::Busy(path.display().to_string()));
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let files = ["", "-wal", "-shm", "-journal"].map(|suffix| beside(path, suffix));
    if let Some(there) = files.iter().find(|file| file.exists()) {
        let directory = path.parent().unwrap_or(Path::new("."));
        let (place, there) = (directory.display().to_string(), there.display().to_string());
        return Err(TransferError::NotEmpty(place, there));
    }
    delete(&beside(path, UNFINISHED))?;
    Ok(lock)
}

/// Deletes a database and its journal, if they exist.
fn delete(file: &Path) -> Result<(), TransferError> {
    for file in ["", "-wal", "-shm", "-journal"].map(|suffix| beside(file, suffix)) {
        match fs::remove_file(&file) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(TransferError::File { file, source });
            }
            _ => {}
        }
    }
    Ok(())
}

fn fill(file: &Path, import: &mut Import<'_>) -> Result<(), TransferError> {
    open::create_file(file).map_err(|source| TransferError::File {
        file: file.to_owned(),
        source,
    })?;
    let mut connection = SqliteConnection::establish(&open::existing(file))?;
    connection.batch_execute(IMPORT_SETTINGS)?;
    open::know_all_letters(&mut connection)?;
    connection.transaction(|connection| super::import(connection, import))?;
    migrate::sqlite(&mut connection)?;
    drop(connection);
    if let Some(damage) = open::integrity_errors(file)?.first() {
        return Err(TransferError::Unsound(damage.clone()));
    }
    let mut connection = SqliteConnection::establish(&open::existing(file))?;
    Ok(connection.batch_execute("PRAGMA journal_mode = WAL;")?)
}

fn put_in_place(file: &Path, path: &Path) -> Result<(), TransferError> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let renamed = File::open(file)
        .and_then(|opened| opened.sync_all())
        .and_then(|()| fs::rename(file, path))
        .and_then(|()| File::open(directory)?.sync_all());
    renamed.map_err(|source| TransferError::File {
        file: path.to_owned(),
        source,
    })
}
