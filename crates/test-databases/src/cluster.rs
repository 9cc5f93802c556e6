//! The cluster that all test processes of a run share.
//!
//! Two lock files lie beside it, and they stay. Anyone who uses the cluster holds a shared lock on `users` until its
//! process ends, however it ends. Anyone who starts or stops it holds `start`. A shell in a session of its own waits
//! until it can lock `users` for itself, and still can a while later, then stops the server and removes its files.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use diesel::{Connection as _, PgConnection};

use crate::programs::Programs;
use crate::run::succeed;

/// Seconds without a user before the cluster is stopped. The processes of a test run may have gaps between them.
const IDLE_SECONDS: u32 = 30;

/// The server's settings: small, and reached by its socket alone. Nothing waits for the disk, which only a machine that loses its power
/// would show: the tests end programs, and what a program has written stays with the kernel.
const SETTINGS: &str = "listen_addresses = ''\n\
    fsync = off\n\
    max_connections = 300\n\
    shared_buffers = 128MB\n\
    max_wal_size = 1GB\n\
    log_min_messages = fatal\n";

/// The cluster's own database, from which others are made.
static ADMIN: OnceLock<Option<String>> = OnceLock::new();

/// The URL of a database from which others may be made: that of a server that somebody named, or of our own
/// cluster, which is started when it does not run. `None` when there is neither; each test that asks says that it is
/// skipped, and is counted so.
pub(crate) fn admin_url() -> Option<&'static str> {
    let found = ADMIN
        .get_or_init(|| named_server().or_else(own_cluster))
        .as_deref();
    if found.is_none() {
        println!("skipped: {NO_SERVER}");
    }
    found
}

/// Why there is no database.
const NO_SERVER: &str = "no PostgreSQL server is installed, and GATEHOUSE_TEST_POSTGRES names none";

#[expect(
    clippy::disallowed_methods,
    reason = "the environment of the tests may name a server"
)]
fn named_server() -> Option<String> {
    std::env::var("GATEHOUSE_TEST_POSTGRES")
        .ok()
        .filter(|url| !url.is_empty())
}

#[expect(
    clippy::disallowed_methods,
    reason = "where `CI` is true nothing may be skipped"
)]
pub(crate) fn skipping_is_forbidden() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(&*value, "" | "0" | "false"))
}

fn own_cluster() -> Option<String> {
    let Some(programs) = Programs::find() else {
        assert!(!skipping_is_forbidden(), "{NO_SERVER}");
        return None;
    };
    let place = Place::new();
    let start = place.lock_file("start");
    start.lock().expect("the lock for starting can be had");
    let users = place.lock_file("users");
    users
        .lock_shared()
        .expect("the lock of users can be had while the one for starting is held");
    // Open until the process ends: that is what tells the watchdog that the cluster is in use.
    std::mem::forget(users);
    if PgConnection::establish(&place.admin_url()).is_err() {
        place.start(&programs);
    }
    Some(place.admin_url())
}

/// Where the cluster and its locks are.
struct Place {
    locks: PathBuf,
    cluster: PathBuf,
}

impl Place {
    fn new() -> Self {
        // By user, so that one user's run never meets files that it may not open.
        let user = fs::metadata("/proc/self").map_or(0, |own| own.uid());
        let base = std::env::temp_dir().join(format!("gatehouse-test-postgres-{user}"));
        let locks = base.with_extension("locks");
        // It may be there from an earlier run.
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

    /// Makes the cluster anew and starts it. The caller holds the lock for starting.
    fn start(&self, programs: &Programs) {
        // What a killed run or a restart of the machine left behind is of no use.
        let _ = fs::remove_dir_all(&self.cluster);
        programs.make_directory(&self.cluster);
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
        fs::write(&settings, SETTINGS).expect("the settings can be written");
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
        let text = fs::read_to_string(settings).expect("the settings were just written");
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

    /// Leaves a shell behind that stops the cluster when nobody uses it any more.
    fn watch(&self, programs: &Programs, data: &Path) {
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
        assert!(started.success(), "the watchdog does not start: {started}");
    }
}
