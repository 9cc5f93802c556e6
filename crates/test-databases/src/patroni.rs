//! Two servers that Patroni looks after, for tests of a failover that nobody triggers.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::cluster::{NO_SERVER, must_not_skip};
use crate::programs::ServerPrograms;
use crate::run::signal;

/// Names of the processes: one for each server, and a third one that only votes.
const NAMES: [&str; 3] = ["a", "b", "witness"];

/// A primary server and its synchronous standby under Patroni, and a third process that votes. All end when the value is
/// dropped.
#[derive(Debug)]
pub struct PatroniPair {
    directory: PathBuf,
    processes: Vec<Child>,
    servers: [PatroniServer; 2],
}

/// Addresses of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatroniServer {
    /// Address of PostgreSQL.
    pub address: String,
    /// Address of Patroni's API, which says whether the server is the primary.
    pub api: String,
}

impl PatroniPair {
    /// Starts all processes, without waiting until a server is the primary. `None` if PostgreSQL is not installed.
    ///
    /// # Panics
    /// When a process cannot be started.
    pub fn start(patroni: &Path) -> Option<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let Some(programs) = ServerPrograms::find() else {
            assert!(!must_not_skip(), "{NO_SERVER}");
            println!("skipped: {NO_SERVER}");
            return None;
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gatehouse-test-patroni-{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(name);
        // The directory may remain from a killed process with the same process id.
        let _ = fs::remove_dir_all(&directory);
        programs.create_directory(&directory);
        let free = free_addresses::<7>();
        let [raft @ .., api_a, api_b, a, b] = free;
        let server = |address, api| PatroniServer { address, api };
        let servers = [server(a, api_a), server(b, api_b)];
        let mut pair = Self {
            directory,
            processes: Vec::new(),
            servers,
        };
        for (index, name) in NAMES.into_iter().enumerate() {
            let settings = pair.settings(&programs, name, index, &raft);
            pair.run(&programs, patroni, name, &settings);
        }
        Some(pair)
    }

    /// Addresses of both servers.
    pub fn servers(&self) -> &[PatroniServer; 2] {
        &self.servers
    }

    /// Ends the primary server as a crash does. Patroni makes the other one the primary.
    ///
    /// # Panics
    /// When no server is the primary.
    pub fn crash_primary(&self) {
        let servers = NAMES[..2].iter().map(|name| self.data(name));
        let mut primaries = servers.filter(|data| !data.join("standby.signal").exists());
        let pid = primaries.find_map(|data| postmaster(&data));
        let pid = pid.expect("one server is the primary");
        assert!(signal("KILL", &[pid]), "the primary server runs");
    }

    fn data(&self, name: &str) -> PathBuf {
        self.directory.join(format!("data-{name}"))
    }

    /// Settings of a process. YAML includes JSON, so the lists are JSON.
    fn settings(
        &self,
        programs: &ServerPrograms,
        name: &str,
        index: usize,
        raft: &[String],
    ) -> String {
        let directory = self.directory.display();
        let own = raft.get(index).expect("an address for each process");
        let others: Vec<&String> = raft.iter().filter(|address| *address != own).collect();
        let votes = format!(
            "raft: {{data_dir: {directory}/raft-{name}, self_addr: \"{own}\", partner_addrs: {others:?}}}\n"
        );
        let Some(PatroniServer { address, api }) = self.servers.get(index) else {
            return votes;
        };
        let data = self.data(name);
        let (data, programs) = (data.display(), programs.directory().display());
        let account = "{username: gatehouse, password: test}";
        format!(
            "scope: gatehouse\nname: {name}\n{votes}\
             restapi: {{listen: \"{api}\", connect_address: \"{api}\"}}\n\
             bootstrap:\n  \
               dcs:\n    ttl: 20\n    loop_wait: 1\n    retry_timeout: 3\n    synchronous_mode: true\n    \
                 primary_start_timeout: 0\n    \
                 postgresql: {{parameters: {{fsync: \"off\", max_connections: 100, shared_buffers: 32MB}}}}\n  \
               initdb: [{{encoding: UTF8}}, {{locale: C.UTF-8}}, {{auth: trust}}, no-sync]\n  \
               pg_hba: [\"host all all 127.0.0.1/32 trust\", \"host replication all 127.0.0.1/32 trust\", \
                 \"local all all trust\"]\n\
             postgresql:\n  listen: \"{address}\"\n  connect_address: \"{address}\"\n  data_dir: {data}\n  \
               bin_dir: {programs}\n  \
               parameters: {{unix_socket_directories: \"{directory}\"}}\n  \
               authentication: {{superuser: {account}, replication: {account}, rewind: {account}}}\n"
        )
    }

    /// Runs a process, which writes its process id first.
    fn run(&mut self, programs: &ServerPrograms, patroni: &Path, name: &str, settings: &str) {
        let file = self.directory.join(format!("{name}.yml"));
        fs::write(&file, settings).expect("the settings can be written");
        let readable = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&file, readable).expect("the settings can be made readable");
        let log = self.directory.join(format!("{name}.log"));
        let log = fs::File::create(log).expect("the log can be created");
        let program = match name {
            "witness" => patroni.with_file_name("patroni_raft_controller"),
            _ => patroni.to_owned(),
        };
        let script = "echo $$ >\"$1\"; exec \"$2\" \"$3\"";
        let process = programs
            .run_as_account("sh")
            .args(["-c", script, "sh"])
            .arg(self.directory.join(format!("{name}.pid")))
            .arg(program)
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("a file handle can be cloned"))
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", patroni.display()));
        self.processes.push(process);
    }
}

/// Finds free addresses. No program can choose a free port and report it.
fn free_addresses<const N: usize>() -> [String; N] {
    let listeners = [(); N].map(|()| TcpListener::bind("127.0.0.1:0").expect("an address is free"));
    listeners.map(|listener| {
        let address = listener.local_addr().expect("the listener has an address");
        address.to_string()
    })
}

/// Process id of the server in a directory.
fn postmaster(data: &Path) -> Option<i32> {
    let text = fs::read_to_string(data.join("postmaster.pid")).ok()?;
    text.lines().next()?.trim().parse().ok()
}

impl Drop for PatroniPair {
    fn drop(&mut self) {
        // Patroni would start a server again, so it ends first.
        let files = NAMES.map(|name| self.directory.join(format!("{name}.pid")));
        let pids = files
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        let pids = pids.filter_map(|text| text.trim().parse().ok());
        let servers = NAMES[..2].iter().map(|name| self.data(name));
        for pid in pids.chain(servers.filter_map(|data| postmaster(&data))) {
            signal("KILL", &[pid]);
        }
        for process in &mut self.processes {
            let _ = process.wait();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}
