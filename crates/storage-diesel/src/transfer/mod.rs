//! Transfer of all rows of a database, from one snapshot into an empty database of either kind.
//!
//! Rows travel as JSON objects, because both databases can write and read those: no list of tables and columns is
//! needed here. The declared types of the columns determine the form of a value, so the same row is the same text from
//! both databases: binary values are hexadecimal digits after `\x`, truth values are `true` and `false`.

#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
#[cfg(feature = "sqlite")]
mod sqlite_copy;

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::error::OpenError;
use crate::migrate::MigrationFile;

/// Bytes of rows that travel together. A longer row travels alone.
const BATCH_BYTES: usize = 1 << 20;

/// Counter of the ids of alerts: a table on SQLite, a sequence on PostgreSQL.
/// Its state travels as the last id of the table `alerts`.
const ALERT_IDS: &str = "alert_ids";

/// Reason why rows cannot be exported or imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// Database error.
    #[error(transparent)]
    Database(#[from] OpenError),
    /// File error.
    #[error("cannot use {}", file.display())]
    File {
        /// Path of the file.
        file: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
    /// Target of an import that is not empty.
    #[error("{0} is not empty: it contains {1}")]
    NotEmpty(String, String),
    /// Another process uses the target of an import.
    #[error("another process uses {0}; stop it first")]
    Busy(String),
    /// A newer program wrote the rows.
    #[error("it was written by a newer version of Gatehouse (migration {0}); use that version")]
    Newer(String),
    /// The rows violate the integrity of the database.
    #[error("the imported rows are inconsistent: {0}")]
    Unsound(String),
    /// Text that the target cannot store.
    #[error("table {table}, row {key}: {problem}; correct it in the source database and try again")]
    InvalidText {
        /// Name of the table.
        table: String,
        /// Values of the columns of the primary key.
        key: String,
        /// Reason why the text cannot be stored.
        problem: &'static str,
    },
    /// Error of the other end of the transfer.
    #[error(transparent)]
    OtherEnd(Box<dyn std::error::Error + Send + Sync>),
}

impl TransferError {
    /// Creates the error about a text in `row`, a JSON object of which `key` names the columns of the primary key.
    pub fn invalid_text(table: &str, key: &[String], row: &str, problem: &'static str) -> Self {
        let row: serde_json::Value = serde_json::from_str(row).unwrap_or_default();
        let values = key.iter().map(|column| {
            let value = row.get(column).unwrap_or(&serde_json::Value::Null);
            format!("{column} = {value}")
        });
        Self::InvalidText {
            table: table.to_owned(),
            key: values.collect::<Vec<_>>().join(", "),
            problem,
        }
    }
}

impl From<diesel::result::Error> for TransferError {
    fn from(error: diesel::result::Error) -> Self {
        Self::Database(error.into())
    }
}

impl From<diesel::ConnectionError> for TransferError {
    fn from(error: diesel::ConnectionError) -> Self {
        Self::Database(error.into())
    }
}

/// Shape of a database whose rows travel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Versions of the applied migrations, in order.
    pub migrations: Vec<String>,
    /// All tables, in order of their names.
    pub tables: Vec<SnapshotTable>,
}

impl Snapshot {
    /// Verifies that this version of the program can import the rows.
    ///
    /// # Errors
    /// [`TransferError::Newer`] if a newer version wrote them.
    pub fn check_version(&self) -> Result<(), TransferError> {
        // The migrations of both databases have the same versions.
        #[cfg(feature = "sqlite")]
        let steps = crate::migrate::SQLITE;
        #[cfg(not(feature = "sqlite"))]
        let steps = crate::migrate::POSTGRES;
        let is_new = |version: &&String| !crate::migrate::knows(steps, version);
        match self.migrations.iter().find(is_new) {
            Some(version) => Err(TransferError::Newer(version.clone())),
            None => Ok(()),
        }
    }
}

/// Table of a [`Snapshot`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotTable {
    /// Name of the table.
    pub name: String,
    /// Columns of its primary key.
    pub key: Vec<String>,
    /// Highest id that it ever assigned to a row, if the database remembers it, so that no id is reused.
    pub last_id: Option<i64>,
}

/// Receives the rows of one snapshot.
pub trait RowSink {
    /// Receives rows of a table, each a JSON object.
    ///
    /// # Errors
    /// Any error that ends the transfer.
    fn rows(&mut self, table: &str, rows: &[String]) -> Result<(), TransferError>;

    /// Receives the shape of the database, after all rows.
    /// An import becomes visible only after this.
    ///
    /// # Errors
    /// Any error that ends the transfer.
    fn finish(&mut self, snapshot: &Snapshot) -> Result<(), TransferError>;

    /// Called after [`Self::finish`]. True if all rows of the same snapshot must follow once more.
    fn wants_another_pass(&mut self) -> bool {
        false
    }
}

/// Rows of one table, as they are imported.
#[derive(Debug)]
pub struct RowBatch {
    /// Name of the table.
    pub table: String,
    /// JSON array of the rows.
    pub rows: String,
}

/// Source of the rows of one snapshot.
pub trait RowSource {
    /// Returns the next rows; `None` after the last ones.
    ///
    /// # Errors
    /// Any error that ends the transfer.
    fn next_batch(&mut self) -> Result<Option<RowBatch>, TransferError>;
}

/// Arguments of an import.
pub struct Import<'a> {
    /// Shape of the database from which the rows were exported.
    pub snapshot: &'a Snapshot,
    /// Source of the rows.
    pub source: &'a mut dyn RowSource,
    /// Receives the rows as read after the import, before they are visible to others: it fails if they differ.
    pub check: &'a mut dyn RowSink,
}

impl std::fmt::Debug for Import<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Import")
            .field("snapshot", &self.snapshot)
            .finish_non_exhaustive()
    }
}

/// Column of a table.
#[derive(Debug, Clone, diesel::QueryableByName)]
pub(crate) struct Column {
    #[diesel(sql_type = diesel::sql_types::Text)]
    pub(crate) name: String,
    #[diesel(sql_type = diesel::sql_types::Text)]
    #[cfg_attr(
        not(feature = "sqlite"),
        expect(
            dead_code,
            reason = "a column of PostgreSQL determines the type of its values"
        )
    )]
    pub(crate) kind: String,
}

/// Database-specific operations of a transfer, inside one transaction.
pub(crate) trait Dialect {
    /// Numbered migrations of the database.
    const STEPS: &'static [MigrationFile];

    /// Returns the versions of the applied migrations, in order.
    fn applied(&mut self) -> Result<Vec<String>, TransferError>;
    /// Applies the migrations with these versions.
    fn migrate(&mut self, versions: &[String]) -> Result<(), TransferError>;
    /// Returns the names of the existing tables, in order.
    fn tables(&mut self) -> Result<Vec<String>, TransferError>;
    /// Returns the columns of a table, in the order of their names, so that the same row is always the same text.
    fn columns(&mut self, table: &str) -> Result<Vec<Column>, TransferError>;
    /// Returns the columns of the primary key of a table.
    fn key(&mut self, table: &str) -> Result<Vec<String>, TransferError>;
    /// Returns the highest ids that tables ever assigned.
    fn last_ids(&mut self) -> Result<BTreeMap<String, i64>, TransferError>;
    /// Reads all rows of a table.
    fn each_row(
        &mut self,
        table: &str,
        columns: &[Column],
        take: &mut dyn FnMut(String) -> Result<(), TransferError>,
    ) -> Result<(), TransferError>;
    /// Deletes the rows that migrations inserted into these tables, and suspends the checks that would reject rows
    /// inserted before those that they refer to.
    fn clear(&mut self, tables: &[String]) -> Result<(), TransferError>;
    /// Inserts rows.
    fn insert(&mut self, table: &str, columns: &[Column], rows: &str) -> Result<(), TransferError>;
    /// Continues the ids of tables after the last ones, and checks that every referenced row exists.
    fn complete(&mut self, tables: &[SnapshotTable]) -> Result<(), TransferError>;
}

/// Quotes a name for both databases.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Formats names as a list.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.map(quoted).collect();
    quoted.join(", ")
}

/// Returns the names of the existing tables whose rows travel, in order.
/// Other tables in the same database are left out.
fn transferred<D: Dialect>(database: &mut D) -> Result<Vec<String>, TransferError> {
    let ours = crate::migrate::tables(D::STEPS);
    let mut tables = database.tables()?;
    tables.retain(|name| ours.contains(name) && name != ALERT_IDS);
    Ok(tables)
}

/// Reads all rows of the tables of this program, as often as the sink needs them.
pub(crate) fn export<D: Dialect>(
    database: &mut D,
    sink: &mut dyn RowSink,
) -> Result<(), TransferError> {
    let migrations = database.applied()?;
    let mut last_ids = database.last_ids()?;
    let mut tables = Vec::new();
    for name in transferred(database)? {
        let (key, last_id) = (database.key(&name)?, last_ids.remove(&name));
        tables.push(SnapshotTable { name, key, last_id });
    }
    let snapshot = Snapshot { migrations, tables };
    loop {
        for table in &snapshot.tables {
            export_table(database, &table.name, sink)?;
        }
        sink.finish(&snapshot)?;
        if !sink.wants_another_pass() {
            return Ok(());
        }
    }
}

fn export_table<D: Dialect>(
    database: &mut D,
    table: &str,
    sink: &mut dyn RowSink,
) -> Result<(), TransferError> {
    let columns = database.columns(table)?;
    let (mut batch, mut bytes) = (Vec::new(), 0);
    database.each_row(table, &columns, &mut |row| {
        bytes += row.len();
        batch.push(row);
        if bytes >= BATCH_BYTES {
            sink.rows(table, &batch)?;
            batch.clear();
            bytes = 0;
        }
        Ok(())
    })?;
    if batch.is_empty() {
        Ok(())
    } else {
        sink.rows(table, &batch)
    }
}

/// Fills an empty database: the tables as of the snapshot, then its rows, then the later migrations of this program.
pub(crate) fn import<D: Dialect>(
    database: &mut D,
    import: &mut Import<'_>,
) -> Result<(), TransferError> {
    let snapshot = import.snapshot;
    snapshot.check_version()?;
    database.migrate(&snapshot.migrations)?;
    let names: Vec<String> = snapshot
        .tables
        .iter()
        .map(|table| table.name.clone())
        .collect();
    if transferred(database)? != names {
        let text = "its tables do not match its migrations".to_owned();
        return Err(TransferError::Unsound(text));
    }
    database.clear(&names)?;
    let mut columns = BTreeMap::new();
    for name in &names {
        columns.insert(name.clone(), database.columns(name)?);
    }
    while let Some(batch) = import.source.next_batch()? {
        let of = columns.get(&batch.table).ok_or_else(|| {
            TransferError::Unsound(format!("table {} does not exist", batch.table))
        })?;
        database.insert(&batch.table, of, &batch.rows)?;
    }
    database.complete(&snapshot.tables)?;
    export(database, import.check)
}

#[cfg(test)]
#[cfg(all(
    feature = "sqlite",
    feature = "postgres",
    feature = "projects",
    feature = "pipelines"
))]
mod both_databases;
#[cfg(all(test, feature = "sqlite", feature = "projects"))]
mod tests;
