//! Two servers of which one follows the other, for tests of a failover.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cluster::{NO_SERVER, must_not_skip};
use crate::programs::ServerPrograms;
use crate::run::succeed;

/// Settings of both servers. A commit waits until the other server has it.
const SETTINGS: &str = "listen_addresses = ''\n\
    fsync = off\n\
    max_connections = 100\n\
    shared_buffers = 32MB\n\
    log_min_messages = fatal\n\
    synchronous_standby_names = '*'\n";

/// A primary server and its synchronous standby. Both stop when the value is dropped.
#[derive(Debug)]
pub struct ReplicatedPair {
    programs: ServerPrograms,
    directories: [PathBuf; 2],
}

impl ReplicatedPair {
    /// Starts both servers. `None` if PostgreSQL is not installed.
    ///
    /// # Panics
    /// When a server does not start.
    pub fn start() -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(programs) = ServerPrograms::find() else {
            assert!(!must_not_skip(), "{NO_SERVER}");
            println!("skipped: {NO_SERVER}");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let base = format!("gatehouse-test-pair-{}-{number}", std::process::id());
        let directories =
            ["a", "b"].map(|name| std::env::temp_dir().join(format!("{base}-{name}")));
        for directory in &directories {
            // The directory may remain from a killed process with the same process id.
            let _ = fs::remove_dir_all(directory);
            programs.create_directory(directory);
        }
        let pair = Self {
            programs,
            directories,
        };
        pair.start_primary();
        pair.start_standby();
        Some(pair)
    }

    /// URL of a database on whichever server accepts writes.
    pub fn url(&self) -> String {
        let [first, second] = &self.directories;
        format!(
            "postgres:///postgres?host={},{}&user=gatehouse&target_session_attrs=read-write&connect_timeout=2",
            first.display(),
            second.display()
        )
    }

    /// URL of the standby's database, which can be read.
    pub fn standby_url(&self) -> String {
        let [_, second] = &self.directories;
        format!(
            "postgres:///postgres?host={}&user=gatehouse",
            second.display()
        )
    }

    /// Ends the standby as a crash does. Commits of the primary server wait for it no longer.
    ///
    /// # Panics
    /// When a program fails.
    pub fn stop_standby(&self) {
        self.commit_alone(0);
        self.stop(1);
    }

    /// Ends the primary server as a crash does, and makes the other one the primary.
    ///
    /// # Panics
    /// When a program fails.
    pub fn fail_over(&self) {
        self.stop(0);
        self.commit_alone(1);
        let promote = ["promote", "--wait", "--silent", "--pgdata"];
        let mut promotion = self.programs.command("pg_ctl");
        succeed(promotion.args(promote).arg(self.data(1)));
    }

    /// Lets the commits of a server wait for no other one.
    fn commit_alone(&self, index: usize) {
        let data = self.data(index);
        let file = data.join("postgresql.auto.conf");
        let settings = fs::read_to_string(&file).expect("the settings can be read");
        let settings = format!("{settings}synchronous_standby_names = ''\n");
        fs::write(&file, settings).expect("the settings can be written");
        let reload = ["reload", "--silent", "--pgdata"];
        succeed(self.programs.command("pg_ctl").args(reload).arg(&data));
    }

    fn data(&self, index: usize) -> PathBuf {
        let directory = self.directories.get(index);
        directory
            .map(|found| found.join("data"))
            .expect("one of two servers")
    }

    fn start_primary(&self) {
        let data = self.data(0);
        let create = [
            "--username=gatehouse",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
            "--no-instructions",
            "--pgdata",
        ];
        succeed(self.programs.command("initdb").args(create).arg(&data));
        let file = data.join("postgresql.auto.conf");
        fs::write(&file, SETTINGS).expect("the settings can be written");
        self.run_server(0);
    }

    fn start_standby(&self) {
        let [primary, _] = &self.directories;
        let copy = self
            .programs
            .command("pg_basebackup")
            .args(["--username=gatehouse", "--checkpoint=fast", "--no-sync"])
            .args(["--write-recovery-conf", "--host"])
            .arg(primary)
            .arg("--pgdata")
            .arg(self.data(1))
            .status();
        assert!(copy.is_ok_and(|status| status.success()), "pg_basebackup");
        self.run_server(1);
    }

    fn run_server(&self, index: usize) {
        let directory = self.directories.get(index).expect("one of two servers");
        let sockets = format!("-c unix_socket_directories={}", directory.display());
        let start = ["start", "--wait", "--silent", "--pgdata"];
        succeed(
            self.programs
                .command("pg_ctl")
                .args(start)
                .arg(self.data(index))
                .arg("--log")
                .arg(directory.join("log"))
                .args(["--options", &sockets]),
        );
    }

    fn stop(&self, index: usize) {
        let stop = ["stop", "--mode=immediate", "--silent", "--pgdata"];
        succeed(
            self.programs
                .command("pg_ctl")
                .args(stop)
                .arg(self.data(index)),
        );
    }
}

impl Drop for ReplicatedPair {
    fn drop(&mut self) {
        for (index, directory) in self.directories.iter().enumerate() {
            if self.data(index).join("postmaster.pid").exists() {
                self.stop(index);
            }
            let _ = fs::remove_dir_all(directory);
        }
    }
}
