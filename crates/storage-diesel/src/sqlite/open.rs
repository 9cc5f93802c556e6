//! Opening of files: the settings of every connection, and the lock under which the file is created.

use std::fs::{File, OpenOptions};
use std::path::Path;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::files::beside;
use crate::error::OpenError;

/// Settings before the first table: larger pages give a smaller tree, and the journal mode lets readers run without
/// waiting for it.
const FILE: &str = "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;";

/// Settings of the write connection.
/// The journal is never truncated, because overwriting it is faster than extending it, and the checkpoint thread does
/// the checkpoints.
const WRITER: &str = "PRAGMA foreign_keys = ON; \
                      PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; \
                      PRAGMA journal_size_limit = -1; PRAGMA wal_autocheckpoint = 0;";

/// Wait of the write connection for the lock. Another process may hold it; callers must be answered nevertheless, so the wait
/// is short.
const WRITER_WAIT: &str = "PRAGMA busy_timeout = 2000;";

/// Level of durability that a commit reaches before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// On the disk: otherwise a power failure could lose the last commits.
    OnDisk,
    /// In the operating system, for a database that is deleted when its store is closed.
    Discarded,
}

impl Durability {
    fn pragma(self) -> &'static str {
        match self {
            Self::OnDisk => "PRAGMA synchronous = FULL;",
            Self::Discarded => "PRAGMA synchronous = OFF;",
        }
    }
}

/// Settings of a read connection, which cannot write in any case.
/// As much of the file is mapped as the library allows, because a list of a large database would copy most of its pages.
const READER: &str = "PRAGMA busy_timeout = 2000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; \
                      PRAGMA cache_size = -4096; PRAGMA mmap_size = 2147418112;";

diesel::define_sql_function! {
    /// Converts to lower case.
    /// The library's own function supports only ASCII letters, so it is replaced.
    fn lower(text: Text) -> Text;
}

pub(crate) fn know_all_letters(connection: &mut SqliteConnection) -> QueryResult<()> {
    lower_utils::register_impl(connection, |text: String| text.to_lowercase())
}

/// Returns the path in the form that the library takes, for a file that it may create.
fn name(path: &Path) -> String {
    path.display().to_string()
}

/// Returns the URI that opens only an existing file.
/// With a plain path the library would create an empty database in place of a deleted one, and the program would
/// continue as if nothing had ever been stored.
pub(crate) fn existing(path: &Path) -> String {
    let mut url = "file:".to_owned();
    for character in name(path).chars() {
        match character {
            '%' => url.push_str("%25"),
            '?' => url.push_str("%3f"),
            '#' => url.push_str("%23"),
            other => url.push(other),
        }
    }
    url.push_str("?mode=rw");
    url
}

/// Takes the lock beside the database file, so that only one process at a time creates the file or changes its tables.
pub(super) fn lock(path: &Path) -> std::io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

/// Opens the lock file.
pub(crate) fn lock_file(path: &Path) -> std::io::Result<File> {
    for_the_owner()
        .create(true)
        .truncate(false)
        .open(beside(path, "-lock"))
}

/// Returns options that create files which only their owner can access, from the start.
/// An existing file keeps its permissions.
fn for_the_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates an empty file for the database if there is none; the library gives the files of the journal the same
/// permissions.
/// An existing file must not be opened here: closing it again would release the locks of other connections of this
/// process.
pub(crate) fn create_file(path: &Path) -> std::io::Result<()> {
    match for_the_owner().create_new(true).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Creates the file if it is missing, under the lock.
pub(super) fn prepare_file(path: &Path) -> Result<(), OpenError> {
    let _lock = lock(path)?;
    create_file(path)?;
    let mut connection = SqliteConnection::establish(&name(path))?;
    connection.batch_execute("PRAGMA busy_timeout = 10000;")?;
    connection.batch_execute(FILE)?;
    Ok(())
}

/// Opens a connection that may write.
pub(super) fn writer(path: &Path, durability: Durability) -> Result<SqliteConnection, OpenError> {
    let mut connection = SqliteConnection::establish(&existing(path))?;
    connection.batch_execute(WRITER_WAIT)?;
    connection.batch_execute(WRITER)?;
    connection.batch_execute(durability.pragma())?;
    know_all_letters(&mut connection)?;
    Ok(connection)
}

/// Configures a read connection.
pub(crate) fn configure_reader(connection: &mut SqliteConnection) -> QueryResult<()> {
    connection
        .batch_execute(READER)
        .and_then(|()| know_all_letters(connection))
}

#[derive(QueryableByName)]
struct IntegrityRow {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// Returns the library's integrity errors of the file, at most ten sentences.
pub(crate) fn integrity_errors(path: &Path) -> Result<Vec<String>, OpenError> {
    // Without the memory mapping of other readers: a truncated file must cause an error and not a signal.
    let mut connection = SqliteConnection::establish(&name(path))?;
    connection.batch_execute("PRAGMA busy_timeout = 10000; PRAGMA query_only = ON;")?;
    know_all_letters(&mut connection)?;
    let found: Vec<IntegrityRow> =
        diesel::sql_query("PRAGMA integrity_check(10)").load(&mut connection)?;
    let found = found.into_iter().map(|damage| damage.integrity_check);
    Ok(found.filter(|sentence| sentence != "ok").collect())
}
