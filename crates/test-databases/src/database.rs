//! A database for one test.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, RunQueryDsl as _};

use crate::cluster::admin_url;
use crate::pool::{DatabaseClaim, SNAPSHOT_STATEMENTS, claim};

/// Key of the lock on templates. The value is arbitrary; it only has to be the same everywhere.
const TEMPLATE_LOCK: i64 = 0x6761_7465;

/// A database for one test, which has it until the value is dropped.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
    /// Claim of a database that is reused. Databases without a claim are dropped.
    claim: Option<DatabaseClaim>,
}

impl TestDatabase {
    /// Creates an empty database. `None` when there is no server; see the crate's documentation.
    pub fn empty() -> Option<Self> {
        admin_url().map(|admin| Self::copy_of("template0", admin))
    }

    /// Returns a copy of the database that `prepare` sets up. `prepare` gets the URL of an empty database and must
    /// close its connections to it before it returns. It runs once for each build of the test program. The copy may
    /// have been used by earlier tests, and is then reset.
    pub fn prepared(prepare: impl FnOnce(&str)) -> Option<Self> {
        let admin = admin_url()?;
        let mut connection = connect(admin);
        let template = template(&mut connection, admin, prepare);
        let (name, claim) = claim(connection, admin, &template);
        Some(Self {
            url: with_database(admin, &name),
            name,
            claim: Some(claim),
        })
    }

    /// Returns a new copy of the database that `prepare` sets up, for tests that leave many rows or depend on the
    /// server's statistics about them. See [`TestDatabase::prepared`].
    pub fn copied(prepare: impl FnOnce(&str)) -> Option<Self> {
        let admin = admin_url()?;
        Some(Self::copy_of(
            &template(&mut connect(admin), admin, prepare),
            admin,
        ))
    }

    /// The URL to connect with.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Ends every connection to this database, as an administrator or a crash of the server would.
    pub fn disconnect_all(&self) {
        let terminate = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname =";
        execute(
            &mut admin_connection(),
            &format!("{terminate} '{}'", self.name),
        );
    }

    /// Sets the default of a setting for new connections to this database.
    pub fn set_default(&self, setting: &str, value: &str) {
        execute(
            &mut admin_connection(),
            &format!("ALTER DATABASE {} SET {setting} = '{value}'", self.name),
        );
    }

    /// Stops the processes that serve this database until the guard is dropped, to simulate a server that hangs.
    ///
    /// # Panics
    /// When the server cannot be queried, or its processes accept no signals.
    pub fn pause(&self) -> PausedServer {
        #[derive(diesel::QueryableByName)]
        struct ProcessRow {
            #[diesel(sql_type = diesel::sql_types::Integer)]
            pid: i32,
        }
        let statement = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        );
        let processes: Vec<ProcessRow> = diesel::sql_query(&statement)
            .load(&mut admin_connection())
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        let paused = PausedServer {
            pids: processes.iter().map(|process| process.pid).collect(),
        };
        paused.signal("STOP");
        paused
    }

    fn copy_of(template: &str, admin: &str) -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gatehouse_test_{}_{number}", std::process::id());
        let mut connection = connect(admin);
        // The database may remain from a process with the same process id that did not drop it.
        execute(
            &mut connection,
            &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        );
        execute(
            &mut connection,
            &format!("CREATE DATABASE {name} TEMPLATE {template}"),
        );
        Self {
            url: with_database(admin, &name),
            name,
            claim: None,
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        if self.claim.is_some() {
            return;
        }
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // A failing test drops it too, and a second panic would hide the first.
        if let Some(Ok(mut connection)) = admin_url().map(PgConnection::establish) {
            let _ = connection.batch_execute(&statement);
        }
    }
}

/// Returns the name of the database that `prepare` sets up, and sets it up if it does not exist.
fn template(connection: &mut PgConnection, admin: &str, prepare: impl FnOnce(&str)) -> String {
    let name = format!("gatehouse_template_{:016x}", build_hash());
    let lock = format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})");
    execute(connection, &lock);
    if !exists(connection, &name) {
        // A half-prepared template must never be taken for a complete one, so it gets its name last.
        let draft = TestDatabase::copy_of("template0", admin);
        prepare(draft.url());
        execute(&mut connect(draft.url()), SNAPSHOT_STATEMENTS);
        let rename = format!("ALTER DATABASE {} RENAME TO {name}", draft.name);
        execute(connection, &rename);
    }
    let unlock = format!("SELECT pg_advisory_unlock({TEMPLATE_LOCK})");
    execute(connection, &unlock);
    name
}

/// Server processes that hang until this is dropped.
#[derive(Debug)]
pub struct PausedServer {
    pids: Vec<i32>,
}

impl PausedServer {
    fn signal(&self, signal: &str) {
        let is_sent = crate::run::signal(signal, &self.pids);
        assert!(is_sent, "the server's processes can be signalled");
    }
}

impl Drop for PausedServer {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}

/// A number that differs for every build of the test program, since its migrations may differ.
pub(crate) fn build_hash() -> u64 {
    let program = std::env::current_exe().expect("the test program has a path");
    let file = program.metadata().expect("the test program is a file");
    let mut hasher = DefaultHasher::new();
    (program, file.len(), file.modified().ok()).hash(&mut hasher);
    hasher.finish()
}

/// `url` with another database: the last segment of the path, before the parameters.
pub(crate) fn with_database(url: &str, name: &str) -> String {
    let (base, parameters) = url
        .split_once('?')
        .map_or((url, None), |(base, rest)| (base, Some(rest)));
    let scheme_end = base.find("://").map_or(0, |at| at + 3);
    let server = base
        .get(scheme_end..)
        .and_then(|rest| rest.find('/'))
        .map_or(base.len(), |at| scheme_end + at);
    let server = base.get(..server).unwrap_or(base);
    let parameters = parameters
        .map(|text| format!("?{text}"))
        .unwrap_or_default();
    format!("{server}/{name}{parameters}")
}

fn admin_connection() -> PgConnection {
    connect(admin_url().expect("a database exists, so there is a server"))
}

pub(crate) fn connect(url: &str) -> PgConnection {
    PgConnection::establish(url)
        .unwrap_or_else(|error| panic!("cannot connect to the test server: {error}"))
}

fn execute(connection: &mut PgConnection, statement: &str) {
    connection
        .batch_execute(statement)
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}

pub(crate) fn exists(connection: &mut PgConnection, name: &str) -> bool {
    let statement = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    diesel::sql_query(&statement)
        .execute(connection)
        .unwrap_or_else(|error| panic!("{statement}: {error}"))
        > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_database_of_a_url_is_changed() {
        let cases = [
            ("postgres://ann@db:5432/main", "postgres://ann@db:5432/x"),
            ("postgres://db", "postgres://db/x"),
            (
                "postgres://db/main?sslmode=disable",
                "postgres://db/x?sslmode=disable",
            ),
            (
                "postgres:///postgres?host=/tmp/c&user=u",
                "postgres:///x?host=/tmp/c&user=u",
            ),
        ];
        for (url, expected) in cases {
            assert_eq!(with_database(url, "x"), expected);
        }
    }

    const EXAMPLE_TABLE: &str = "CREATE TABLE things (id BIGINT GENERATED BY DEFAULT AS IDENTITY, name TEXT); \
         INSERT INTO things (name) VALUES ('first')";

    fn ids(url: &str) -> String {
        #[derive(diesel::QueryableByName)]
        struct IdList {
            #[diesel(sql_type = diesel::sql_types::Text)]
            all: String,
        }
        let ids = "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') AS all FROM things";
        let ids: IdList = diesel::sql_query(ids)
            .get_result(&mut connect(url))
            .unwrap();
        ids.all
    }

    #[test]
    fn changed_databases_are_restored_to_their_template() {
        let prepare = |url: &str| execute(&mut connect(url), EXAMPLE_TABLE);
        let Some(first) = TestDatabase::prepared(prepare) else {
            return;
        };
        let second = TestDatabase::prepared(|_| panic!("the template exists")).unwrap();
        execute(
            &mut connect(first.url()),
            "INSERT INTO things (name) VALUES ('mine')",
        );
        assert_eq!([ids(first.url()), ids(second.url())], ["1 2", "1"]);
        let own = first.name.clone();
        for change in [
            "INSERT INTO things (name) VALUES ('x'), ('y'); DELETE FROM things WHERE id = 1",
            "DROP TABLE things",
            "ALTER TABLE things ADD UNIQUE (name)",
            "CREATE INDEX ON things (name)",
            "INSERT INTO things (name) SELECT repeat('x', 1000) FROM generate_series(1, 2000)",
        ] {
            let changed = TestDatabase::prepared(|_| panic!("the template exists")).unwrap();
            execute(&mut connect(changed.url()), change);
            let name = changed.name.clone();
            drop(changed);
            let again = TestDatabase::prepared(|_| panic!("the template exists")).unwrap();
            assert_eq!(again.name, name, "{change}");
            execute(
                &mut connect(again.url()),
                "INSERT INTO things (name) VALUES ('z')",
            );
            assert_eq!(ids(again.url()), "1 2", "{change}");
            let index = "SELECT FROM pg_index WHERE indrelid = 'things'::regclass";
            let indexes = diesel::sql_query(index).execute(&mut connect(again.url()));
            assert_eq!(indexes.unwrap(), 0, "{change}");
        }
        assert_ne!(second.name, own);
    }

    #[test]
    fn empty_databases_go_away() {
        let Some(database) = TestDatabase::empty() else {
            return;
        };
        let name = database.name.clone();
        assert!(exists(&mut admin_connection(), &name));
        drop(database);
        assert!(!exists(&mut admin_connection(), &name));
    }
}
