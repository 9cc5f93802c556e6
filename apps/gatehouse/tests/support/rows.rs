//! States that no command creates: rows of the embedded database, changed while the server uses them, and a locked row
//! of PostgreSQL at which writers wait.

use diesel::connection::SimpleConnection as _;
use diesel::sql_types::BigInt;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection};

use super::{TestServer, eventually};

/// Runs statements on the database of a server, in one transaction.
pub(crate) fn change(server: &TestServer, statements: &str) {
    let file = server.data().join("gatehouse.sqlite3");
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection
        .batch_execute("PRAGMA busy_timeout = 10000;")
        .unwrap();
    connection
        .batch_execute(&format!("BEGIN IMMEDIATE; {statements}; COMMIT;"))
        .unwrap();
}

/// The write lock of the embedded database, taken as another process might: other writers wait until this is dropped.
pub(crate) struct HeldWriter {
    _connection: SqliteConnection,
}

impl HeldWriter {
    /// Takes the lock.
    pub(crate) fn at(server: &TestServer) -> Self {
        let file = server.data().join("gatehouse.sqlite3");
        let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
        connection
            .batch_execute("PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE;")
            .unwrap();
        Self {
            _connection: connection,
        }
    }
}

/// Number of rows in a table of a server's database.
pub(crate) fn count(server: &TestServer, table: &str) -> i64 {
    number(server, &format!("SELECT count(*) FROM {table}"))
}

/// The number that an SQL expression returns in a server's database.
pub(crate) fn number(server: &TestServer, expression: &str) -> i64 {
    DatabaseReader::of(server).number(expression)
}

/// A connection to the database of a server, for a test that reads very often.
pub(crate) struct DatabaseReader(SqliteConnection);

impl DatabaseReader {
    pub(crate) fn of(server: &TestServer) -> Self {
        let file = server.data().join("gatehouse.sqlite3");
        Self(SqliteConnection::establish(&file.display().to_string()).unwrap())
    }

    /// See [`number`].
    pub(crate) fn number(&mut self, expression: &str) -> i64 {
        let counted = diesel::sql_query(format!("SELECT ({expression}) AS count"));
        counted.get_result::<RowCount>(&mut self.0).unwrap().count
    }

    /// A number that changes when another connection commits.
    pub(crate) fn version(&mut self) -> i64 {
        let version = diesel::sql_query("SELECT data_version AS count FROM pragma_data_version");
        version.get_result::<RowCount>(&mut self.0).unwrap().count
    }

    /// The texts of a query with one column `text`.
    pub(crate) fn texts(&mut self, query: &str) -> Vec<String> {
        let found = diesel::sql_query(query)
            .load::<RowText>(&mut self.0)
            .unwrap();
        found.into_iter().map(|row| row.text).collect()
    }
}

#[derive(QueryableByName)]
struct RowText {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

/// Like [`change`], for a revocation: the server learns of it like every process that shares the database, from one
/// that does not record what it revoked, as old programs did.
pub(crate) fn change_and_revoke(server: &TestServer, statements: &str) {
    let raise_epoch = "UPDATE auth_epoch SET epoch = epoch + 1";
    change(server, &format!("{statements}; {raise_epoch}"));
}

/// Like [`change`], by a process that records what it revoked: the number of a kind, and a query that returns the id.
pub(crate) fn change_power_of(server: &TestServer, statements: &str, kind: u8, id: &str) {
    let raise_epoch = "UPDATE auth_epoch SET epoch = epoch + 1";
    let record_revocation = format!(
        "INSERT INTO revocations (epoch, kind, subject_id) SELECT epoch, {kind}, ({id}) FROM auth_epoch"
    );
    change(
        server,
        &format!("{statements}; {raise_epoch}; {record_revocation}"),
    );
}

/// The locked authentication epoch of a PostgreSQL database: transactions that raise it wait until this is dropped.
pub(crate) struct HeldRows {
    connection: PgConnection,
}

#[derive(QueryableByName)]
struct RowCount {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

impl HeldRows {
    /// Locks the authentication epoch: transactions that raise it wait.
    pub(crate) fn of_epoch(url: &str) -> Self {
        Self::by(url, "SELECT epoch FROM auth_epoch FOR UPDATE")
    }

    /// Locks a table: transactions that read it wait.
    pub(crate) fn of_table(url: &str, table: &str) -> Self {
        Self::by(url, &format!("LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE"))
    }

    /// Commits the changes of its statement.
    pub(crate) fn commit(mut self) {
        self.connection.batch_execute("COMMIT;").unwrap();
    }

    /// Runs a statement in a transaction that stays open.
    pub(crate) fn by(url: &str, statement: &str) -> Self {
        let mut connection = PgConnection::establish(url).unwrap();
        connection
            .batch_execute(&format!("BEGIN; {statement};"))
            .unwrap();
        Self { connection }
    }

    /// Waits until this many transactions of the database wait for a lock, this one or another.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, count: i64) {
        eventually("everybody waits", || {
            (self.waiting() >= count).then_some(())
        });
    }

    fn waiting(&mut self) -> i64 {
        // Within a transaction the database would report the connections of the first query.
        let forget = "SELECT pg_stat_clear_snapshot()";
        self.connection.batch_execute(forget).unwrap();
        let counted = diesel::sql_query(
            "SELECT count(*) AS count FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        counted
            .get_result::<RowCount>(&mut self.connection)
            .unwrap()
            .count
    }
}
