//! Opening files: the settings of every connection, and the lock under which the first one is made.

use std::fs::{File, OpenOptions};
use std::path::Path;

use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;

use super::files::beside;
use crate::error::OpenError;

/// Before the first table: larger pages make a smaller tree, and a journal that readers need not wait for.
const FILE: &str = "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL;";

/// The writing connection. The journal is never truncated, because writing over it again is faster than making it longer, and
/// checkpoints are the checkpointer's work. Another process may hold the lock; anyone who waits for this one has to be
/// answered all the same, so the wait is short.
const WRITER: &str = "PRAGMA busy_timeout = 2000; PRAGMA foreign_keys = ON; \
                      PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384; \
                      PRAGMA journal_size_limit = -1; PRAGMA wal_autocheckpoint = 0;";

/// The place that a commit reaches before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    /// Onto the disk: without that the last commits may be lost with the power.
    OnDisk,
    /// To the operating system, for a database that is deleted when its store is closed.
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

/// A reading connection: it cannot write, whatever it is told.
const READER: &str = "PRAGMA busy_timeout = 2000; PRAGMA query_only = ON; PRAGMA temp_store = MEMORY; \
                      PRAGMA cache_size = -4096; PRAGMA mmap_size = 268435456;";

diesel::define_sql_function! {
    /// The library's own function knows the letters of ASCII only, so it is replaced.
    fn lower(text: Text) -> Text;
}

pub(crate) fn know_all_letters(connection: &mut SqliteConnection) -> QueryResult<()> {
    lower_utils::register_impl(connection, |text: String| text.to_lowercase())
}

/// The path as the library takes it, for a file that may be made.
fn name(path: &Path) -> String {
    path.display().to_string()
}

/// The name under which a file that is there is opened. Without it the library would make an empty database where one
/// was deleted, and everything would go on as if nothing had ever been stored.
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

/// Holds the lock beside the database file, so that one process at a time makes the file or changes its tables.
pub(super) fn lock(path: &Path) -> std::io::Result<File> {
    let file = lock_file(path)?;
    file.lock()?;
    Ok(file)
}

/// The file that is locked.
pub(crate) fn lock_file(path: &Path) -> std::io::Result<File> {
    for_the_owner()
        .create(true)
        .truncate(false)
        .open(beside(path, "-lock"))
}

/// How files are made: nobody but their owner may use them, from the start. A file that is there keeps
/// the rights that somebody gave it.
fn for_the_owner() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes an empty file for the database, if there is none; the library gives the files of the journal the same rights.
/// It must not be opened if it is there: when it is closed again, the locks of other connections of this process would
/// be gone.
pub(crate) fn make_file(path: &Path) -> std::io::Result<()> {
    match for_the_owner().create_new(true).open(path) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Makes the file when it is not there, under the lock.
pub(super) fn prepare_file(path: &Path) -> Result<(), OpenError> {
    let _lock = lock(path)?;
    make_file(path)?;
    let mut connection = SqliteConnection::establish(&name(path))?;
    connection.batch_execute("PRAGMA busy_timeout = 10000;")?;
    connection.batch_execute(FILE)?;
    Ok(())
}

/// A connection that may write.
pub(super) fn writer(path: &Path, durability: Durability) -> Result<SqliteConnection, OpenError> {
    let mut connection = SqliteConnection::establish(&existing(path))?;
    connection.batch_execute(WRITER)?;
    connection.batch_execute(durability.pragma())?;
    know_all_letters(&mut connection)?;
    Ok(connection)
}

/// What is done with each connection that reads.
pub(crate) fn settle_reader(connection: &mut SqliteConnection) -> QueryResult<()> {
    connection
        .batch_execute(READER)
        .and_then(|()| know_all_letters(connection))
}

#[derive(QueryableByName)]
struct Damage {
    #[diesel(sql_type = Text)]
    integrity_check: String,
}

/// What the library finds wrong with the file, at most ten sentences.
pub(crate) fn damages(path: &Path) -> Result<Vec<String>, OpenError> {
    // Without the mapped memory of other readers: a file that was cut short must be an error and no signal.
    let mut connection = SqliteConnection::establish(&name(path))?;
    connection.batch_execute("PRAGMA busy_timeout = 10000; PRAGMA query_only = ON;")?;
    know_all_letters(&mut connection)?;
    let found: Vec<Damage> =
        diesel::sql_query("PRAGMA integrity_check(10)").load(&mut connection)?;
    let found = found.into_iter().map(|damage| damage.integrity_check);
    Ok(found.filter(|sentence| sentence != "ok").collect())
}
