//! The cluster that all test processes of a run share.
//!
//! Two lock files next to the cluster are never removed. A process that uses the cluster holds a shared lock on `users`
//! until it ends, however it ends. A process that starts or stops the cluster holds `start`. A shell in a session of
//! its own waits until it gets an exclusive lock on `users`, checks a while later that it still can, then stops the
//! server and removes its files.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use diesel::{Connection as _, PgConnection};

use crate::programs::ServerPrograms;
use crate::run::{signal, succeed};

/// Seconds without a user before the cluster is stopped. The processes of a test run may have gaps between them.
const IDLE_SECONDS: u32 = 30;

/// Time to wait for a server that runs and accepts no connection.
const PATIENCE: Duration = Duration::from_mins(1);

/// Server settings: small, and reachable only by its socket. Nothing is synced to disk, which matters only if the
/// machine loses power: the tests kill processes, and the kernel keeps the data that a process has written.
const SETTINGS: &str = "listen_addresses = ''\n\
    fsync = off\n\
    max_connections = 300\n\
    shared_buffers = 128MB\n\
    max_wal_size = 1GB\n\
    log_min_messages = fatal\n";

/// URL of the database in which other databases are created.
static ADMIN: OnceLock<Option<String>> = OnceLock::new();

/// URL of a database in which others can be created: on the server named in the environment, or on our own cluster,
/// which is started if it is not running. `None` if there is neither; each test that needs a database then reports that
/// it is skipped, and is counted as skipped.
pub(crate) fn admin_url() -> Option<&'static str> {
    let found = ADMIN
        .get_or_init(|| configured_server().or_else(own_cluster))
        .as_deref();
    if found.is_none() {
        println!("skipped: {NO_SERVER}");
    }
    found
}

/// Reason for skipped tests.
pub(crate) const NO_SERVER: &str =
    "PostgreSQL is not installed, and GATEHOUSE_TEST_POSTGRES is not set";

#[expect(
    clippy::disallowed_methods,
    reason = "the environment of the tests may name a server"
)]
fn configured_server() -> Option<String> {
    std::env::var("GATEHOUSE_TEST_POSTGRES")
        .ok()
        .filter(|url| !url.is_empty())
}

#[expect(
    clippy::disallowed_methods,
    reason = "no test may be skipped if `CI` is true"
)]
pub(crate) fn must_not_skip() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false"))
}

fn own_cluster() -> Option<String> {
    let Some(programs) = ServerPrograms::find() else {
        assert!(!must_not_skip(), "{NO_SERVER}");
        return None;
    };
    let paths = ClusterPaths::new();
    let start = paths.lock_file("start");
    start.lock().expect("the startup lock can be acquired");
    let users = paths.lock_file("users");
    users
        .lock_shared()
        .expect("the users lock can be acquired while the startup lock is held");
    // Open until the process ends: the lock shows the watchdog that the cluster is in use.
    std::mem::forget(users);
    if !paths.accepts_connections() {
        paths.start(&programs);
    }
    Some(paths.admin_url())
}

/// Paths of the cluster and its locks.
struct ClusterPaths {
    locks: PathBuf,
    cluster: PathBuf,
}

impl ClusterPaths {
    fn new() -> Self {
        // One directory per user, so that a run never needs files of another user.
        let user = fs::metadata("/proc/self").map_or(0, |own| own.uid());
        let base = std::env::temp_dir().join(format!("gatehouse-test-postgres-{user}"));
        let locks = base.with_extension("locks");
        // The directory may exist from an earlier run.
        let _ = fs::create_dir(&locks);
        Self {
            locks,
            cluster: base,
        }
    }

    fn lock_file(&self, name: &str) -> File {
        let path = self.locks.join(name);
        let opened = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path);
        opened.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn admin_url(&self) -> String {
        format!(
            "postgres:///postgres?host={}&user=gatehouse",
            self.cluster.display()
        )
    }

    /// True if the cluster runs. If its server accepts no connection at the moment, because it recovers from a crash or
    /// has too many, waits until it does: other tests use its files.
    ///
    /// # Panics
    /// When it accepts none for a minute.
    fn accepts_connections(&self) -> bool {
        let started = Instant::now();
        loop {
            let Err(error) = PgConnection::establish(&self.admin_url()) else {
                return true;
            };
            if !self.has_process() {
                return false;
            }
            assert!(started.elapsed() < PATIENCE, "{error}");
            thread::park_timeout(Duration::from_millis(50));
        }
    }

    /// True if the process of the server exists.
    fn has_process(&self) -> bool {
        let file = fs::read_to_string(self.cluster.join("data/postmaster.pid"));
        let pid = file.ok().and_then(|text| text.lines().next()?.parse().ok());
        pid.is_some_and(|pid| signal("0", &[pid]))
    }

    /// Creates a fresh cluster and starts it. The caller holds the lock for starting.
    fn start(&self, programs: &ServerPrograms) {
        // Files of a killed run, or from before a reboot, are of no use.
        let _ = fs::remove_dir_all(&self.cluster);
        programs.create_directory(&self.cluster);
        let data = self.cluster.join("data");
        succeed(
            programs
                .command("initdb")
                .args([
                    "--username=gatehouse",
                    "--auth=trust",
                    "--encoding=UTF8",
                    "--locale=C.UTF-8",
                ])
                .args(["--no-sync", "--no-instructions", "--pgdata"])
                .arg(&data),
        );
        let settings = self.cluster.join("settings");
        fs::write(&settings, SETTINGS).expect("the settings file can be written");
        let log = self.cluster.join("log");
        succeed(
            programs
                .command("pg_ctl")
                .args(["start", "--wait", "--pgdata"])
                .arg(&data)
                .arg("--log")
                .arg(&log)
                .arg("--options")
                .arg(self.options(&settings)),
        );
        self.watch(programs, &data);
    }

    fn options(&self, settings: &Path) -> String {
        let text = fs::read_to_string(settings).expect("the settings file was just written");
        let each = text
            .lines()
            .map(|line| format!("-c {}", line.replace(" = ", "=")));
        let all: Vec<String> = each.collect();
        format!(
            "{} -c unix_socket_directories={}",
            all.join(" "),
            self.cluster.display()
        )
    }

    /// Starts a shell in the background that stops the cluster after its last user.
    fn watch(&self, programs: &ServerPrograms, data: &Path) {
        let (locks, cluster) = (self.locks.display(), self.cluster.display());
        let stop = format!(
            "{} stop --mode=immediate --pgdata {}",
            programs.shell("pg_ctl"),
            data.display()
        );
        let script = format!(
            "cd /; exec 8>{locks}/start 9>{locks}/users\n\
             while :; do\n\
               flock -x 9; flock -u 9; sleep {IDLE_SECONDS}\n\
               flock -n -x 8 || continue\n\
               if flock -n -x 9; then {stop} 8>&- 9>&-; rm -rf {cluster}; exit; fi\n\
               flock -u 8\n\
             done"
        );
        let started = Command::new("setsid")
            .args(["--fork", "sh", "-c", &script])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .expect("a shell can be started");
        assert!(started.success(), "the watchdog did not start: {started}");
    }
}
