//! A pooler in front of the cluster.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diesel::{Connection as _, PgConnection};

use crate::TestDatabase;
use crate::cluster::{admin_url, must_not_skip};
use crate::programs::ServerPrograms;
use crate::run::signal;

/// Paths of the packaged program.
const PROGRAMS: [&str; 2] = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
/// Number in the name of the socket. Each pooler has a directory of its own, so that the sockets differ.
const PORT: u16 = 6432;
/// Number of connection attempts before the pooler counts as broken.
const TRIES: usize = 500;

/// A `PgBouncer` in front of the cluster that all tests share. It stops when the value is dropped.
#[derive(Debug)]
pub struct Bouncer {
    directory: PathBuf,
    process: Child,
}

impl Bouncer {
    /// Maximum number of server connections per database.
    pub const CONNECTIONS: usize = 6;

    /// Starts a pooler in transaction mode: a client gets a server connection for one transaction. `None` if
    /// `PgBouncer` is not installed.
    pub fn in_transaction_mode() -> Option<Self> {
        Self::start("transaction")
    }

    /// Starts a pooler in session mode: a client keeps a server connection until it disconnects. `None` if `PgBouncer`
    /// is not installed.
    pub fn in_session_mode() -> Option<Self> {
        Self::start("session")
    }

    /// URL of a database through the pooler.
    pub fn url(&self, database: &TestDatabase) -> String {
        let base = database.url().split('?').next().unwrap_or_default();
        let name = base.rsplit('/').next().unwrap_or_default();
        format!(
            "postgres:///{name}?host={}&port={PORT}&user=gatehouse",
            self.directory.display()
        )
    }

    fn start(mode: &str) -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let host = admin_url()?.split("host=").nth(1)?.split('&').next()?;
        let Some(program) = program() else {
            assert!(!must_not_skip(), "PgBouncer is not installed");
            println!("skipped: PgBouncer is not installed");
            return None;
        };
        let programs = ServerPrograms::find()?;
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gatehouse-test-pgbouncer-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        // The directory may remain from a killed process with the same process id.
        let _ = fs::remove_dir_all(&directory);
        programs.create_directory(&directory);
        let settings = directory.join("settings.ini");
        fs::write(&settings, settings_for(mode, host, &directory))
            .expect("the settings file can be written");
        let readable = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&settings, readable).expect("the settings file can be made readable");
        let log = fs::File::create(directory.join("log")).expect("the log file can be created");
        let process = programs
            .run_as_account(&program)
            .arg(&settings)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        let bouncer = Self { directory, process };
        bouncer.wait_until_ready();
        Some(bouncer)
    }

    fn wait_until_ready(&self) {
        let url = format!(
            "postgres:///postgres?host={}&port={PORT}&user=gatehouse",
            self.directory.display()
        );
        for _ in 0..TRIES {
            if PgConnection::establish(&url).is_ok() {
                return;
            }
            std::thread::park_timeout(Duration::from_millis(20));
        }
        let log = fs::read_to_string(self.directory.join("log"));
        panic!("PgBouncer did not start: {}", log.unwrap_or_default());
    }
}

/// The program named in the environment, or else the packaged one.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment of the tests may name a pooler"
)]
fn program() -> Option<PathBuf> {
    let named = std::env::var_os("GATEHOUSE_TEST_PGBOUNCER").map(PathBuf::from);
    let packaged = || PROGRAMS.iter().map(PathBuf::from);
    named.or_else(|| packaged().find(|path| path.exists()))
}

fn settings_for(mode: &str, host: &str, directory: &Path) -> String {
    let directory = directory.display();
    format!(
        "[databases]\n* = host={host} user=gatehouse\n\
         [pgbouncer]\nauth_type = any\nlisten_port = {PORT}\nunix_socket_dir = {directory}\n\
         pidfile = {directory}/pid\npool_mode = {mode}\nmax_client_conn = 200\n\
         default_pool_size = {}\n",
        match mode {
            // A client keeps its connection, so the pool needs one per client.
            "session" => 50,
            _ => Bouncer::CONNECTIONS,
        }
    )
}

impl Drop for Bouncer {
    fn drop(&mut self) {
        // The child process may only be the parent of the pooler that runs as another account.
        let pid = fs::read_to_string(self.directory.join("pid"));
        if let Some(pid) = pid.ok().and_then(|pid| pid.trim().parse().ok()) {
            signal("KILL", &[pid]);
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = fs::remove_dir_all(&self.directory);
    }
}
