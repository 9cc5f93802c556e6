//! One database for one test.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, RunQueryDsl as _};

use crate::cluster::admin_url;

/// What the key of the lock on templates is derived from is arbitrary; it only has to be the same everywhere.
const TEMPLATE_LOCK: i64 = 0x6761_7465;

/// A database of one test's own. It is dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    url: String,
}

impl TestDatabase {
    /// A database with nothing in it, or `None` when there is no server; see the crate's documentation.
    pub fn empty() -> Option<Self> {
        admin_url().map(|admin| Self::copy_of("template0", admin))
    }

    /// A copy of the template that `prepare` made, which is given the URL of an empty database and must have left
    /// it without connections when it returns. It is called once for each build of the test program.
    pub fn prepared(prepare: impl FnOnce(&str)) -> Option<Self> {
        let admin = admin_url()?;
        let template = format!("gatehouse_template_{:016x}", build());
        let mut connection = connect(admin);
        execute(
            &mut connection,
            &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})"),
        );
        if !exists(&mut connection, &template) {
            // A half-made template must never be taken for a whole one, so the name comes last.
            let draft = Self::copy_of("template0", admin);
            prepare(draft.url());
            execute(
                &mut connection,
                &format!("ALTER DATABASE {} RENAME TO {template}", draft.name),
            );
        }
        execute(
            &mut connection,
            &format!("SELECT pg_advisory_unlock({TEMPLATE_LOCK})"),
        );
        Some(Self::copy_of(&template, admin))
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

    /// Sets what connections of this database begin with.
    pub fn set_default(&self, setting: &str, value: &str) {
        execute(
            &mut admin_connection(),
            &format!("ALTER DATABASE {} SET {setting} = '{value}'", self.name),
        );
    }

    /// Stops the processes that serve this database, as a server does that hangs, until the guard is dropped.
    ///
    /// # Panics
    /// When the server cannot be asked, or its processes take no signals.
    pub fn pause(&self) -> Paused {
        #[derive(diesel::QueryableByName)]
        struct Process {
            #[diesel(sql_type = diesel::sql_types::Integer)]
            pid: i32,
        }
        let statement = format!(
            "SELECT pid FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        );
        let processes: Vec<Process> = diesel::sql_query(&statement)
            .load(&mut admin_connection())
            .unwrap_or_else(|error| panic!("{statement}: {error}"));
        let paused = Paused {
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
        // A process with the same number may have ended without dropping its databases.
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
        }
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        // A test that fails drops it too, and a second panic would hide the first.
        if let Some(Ok(mut connection)) = admin_url().map(PgConnection::establish) {
            let _ = connection.batch_execute(&statement);
        }
    }
}

/// Processes of the server that hang until this is dropped.
#[derive(Debug)]
pub struct Paused {
    pids: Vec<i32>,
}

impl Paused {
    fn signal(&self, signal: &str) {
        let sent = std::process::Command::new("kill")
            .arg(format!("-{signal}"))
            .args(self.pids.iter().map(ToString::to_string))
            .status();
        assert!(
            sent.is_ok_and(|status| status.success()),
            "the server's processes take signals"
        );
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}

/// A number that another build of the test program, with other migrations perhaps, does not have.
fn build() -> u64 {
    let program = std::env::current_exe().expect("the test program has a path");
    let file = program.metadata().expect("the test program is a file");
    let mut hasher = DefaultHasher::new();
    (program, file.len(), file.modified().ok()).hash(&mut hasher);
    hasher.finish()
}

/// `url` with another database: the last segment of the path, before the parameters.
fn with_database(url: &str, name: &str) -> String {
    let (place, parameters) = url
        .split_once('?')
        .map_or((url, None), |(place, rest)| (place, Some(rest)));
    let scheme_end = place.find("://").map_or(0, |at| at + 3);
    let server = place
        .get(scheme_end..)
        .and_then(|rest| rest.find('/'))
        .map_or(place.len(), |at| scheme_end + at);
    let server = place.get(..server).unwrap_or(place);
    let parameters = parameters
        .map(|text| format!("?{text}"))
        .unwrap_or_default();
    format!("{server}/{name}{parameters}")
}

fn admin_connection() -> PgConnection {
    connect(admin_url().expect("a database exists, so there is a server"))
}

fn connect(url: &str) -> PgConnection {
    PgConnection::establish(url).unwrap_or_else(|error| panic!("the test server: {error}"))
}

fn execute(connection: &mut PgConnection, statement: &str) {
    connection
        .batch_execute(statement)
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn exists(connection: &mut PgConnection, name: &str) -> bool {
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

    #[test]
    fn databases_are_fresh_copies_and_go_away() {
        let prepare = |url: &str| execute(&mut connect(url), "CREATE TABLE things (id INT)");
        let Some(first) = TestDatabase::prepared(prepare) else {
            return;
        };
        let Some(second) = TestDatabase::prepared(|_| panic!("the template exists")) else {
            return;
        };
        execute(&mut connect(first.url()), "INSERT INTO things VALUES (1)");
        let rows = |url: &str| {
            diesel::sql_query("SELECT id FROM things")
                .execute(&mut connect(url))
                .unwrap()
        };
        assert_eq!((rows(first.url()), rows(second.url())), (1, 0));
        let name = first.name.clone();
        drop(first);
        assert!(!exists(&mut admin_connection(), &name));
    }
}
