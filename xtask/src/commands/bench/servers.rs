//! The measured servers, each as a separate process.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use tempfile::TempDir;

use super::footprint::{wait_until_ready, written_bytes};
use crate::invoke;
use crate::workspace::Workspace;

/// Variables that turn rate limits off, because a measurement sends many requests as one user, and that allow receivers of
/// notifications on this machine. Another build may not know them.
const UNLIMITED: &[(&str, &str)] = &[
    ("GATEHOUSE_LIMITS_ENABLED", "false"),
    ("GATEHOUSE_NOTIFICATIONS_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ("GATEHOUSE_EVENTS_MAX_STREAMS", "2000"),
    ("GATEHOUSE_EVENTS_MAX_STREAMS_PER_CALLER", "2000"),
];

/// The programs to start.
#[derive(Debug)]
pub(crate) struct Programs {
    server: PathBuf,
    floor: PathBuf,
    many_operations: PathBuf,
    database: PathBuf,
    seed: PathBuf,
    alert_seed: PathBuf,
    list_seed: PathBuf,
    error_seed: PathBuf,
    feed_seed: PathBuf,
    stream_clients: PathBuf,
}

impl Programs {
    /// Compiles the programs.
    ///
    /// # Errors
    /// When the compilation fails.
    pub(crate) fn build(workspace: &Workspace, profile: &str) -> Result<Self> {
        let build = ["build", "--profile", profile, "--locked"];
        let mut server = workspace.cargo(&build);
        server.args([
            "--package",
            "gatehouse",
            "--bin",
            "gatehouse",
            "--example",
            "floor",
            "--example",
            "many_operations",
            "--example",
            "oauth_seed",
            "--example",
            "alert_seed",
            "--example",
            "list_seed",
            "--example",
            "error_seed",
            "--example",
            "feed_seed",
            "--example",
            "stream_clients",
        ]);
        let mut database = workspace.cargo(&["build", "--locked"]);
        database.args(["--package", "test-databases", "--example", "database"]);
        if !(invoke::run_visible(&mut server)? && invoke::run_visible(&mut database)?) {
            bail!("the programs to be measured do not compile");
        }
        let target = workspace.target_directory()?;
        let compiled = target.join(profile);
        Ok(Self {
            server: compiled.join("gatehouse"),
            floor: compiled.join("examples/floor"),
            many_operations: compiled.join("examples/many_operations"),
            database: target.join("debug/examples/database"),
            seed: compiled.join("examples/oauth_seed"),
            alert_seed: compiled.join("examples/alert_seed"),
            list_seed: compiled.join("examples/list_seed"),
            error_seed: compiled.join("examples/error_seed"),
            feed_seed: compiled.join("examples/feed_seed"),
            stream_clients: compiled.join("examples/stream_clients"),
        })
    }

    /// The size of the program, in bytes.
    #[expect(
        clippy::cast_precision_loss,
        reason = "a program size fits a float exactly"
    )]
    pub(crate) fn size(&self) -> Result<f64> {
        Ok(std::fs::metadata(&self.server)?.len() as f64)
    }

    /// Inserts an application with `codes` codes and `pairs` pairs of tokens into the database of a server, and returns
    /// the program's output about them, one line each.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed(&self, server: &BenchServer, codes: usize, pairs: usize) -> Result<String> {
        let mut command = Command::new(&self.seed);
        command.arg(server.database_url()?);
        command.args([codes.to_string(), pairs.to_string()]);
        Ok(String::from_utf8(invoke::capture(&mut command)?)?)
    }

    /// Inserts `count` alerts into the project of a server's sample data.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed_alerts(&self, server: &BenchServer, count: usize) -> Result<()> {
        seed_rows(&self.alert_seed, server, count)
    }

    /// Inserts `count` projects, `count` issues into the project of a server's sample data, and `count` notes on one
    /// issue.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed_lists(&self, server: &BenchServer, count: usize) -> Result<()> {
        seed_rows(&self.list_seed, server, count)
    }

    /// Inserts `count` events of the three years before a number of days ago, half of them into the project of a server's
    /// sample data.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed_feed(&self, server: &BenchServer, count: usize, days: u32) -> Result<()> {
        let mut command = Command::new(&self.feed_seed);
        add_rows(&mut command, server, count)?;
        command.arg(days.to_string());
        invoke::capture(&mut command).map(drop)
    }

    /// Command that runs the clients of streams.
    pub(crate) fn stream_clients(&self) -> Command {
        Command::new(&self.stream_clients)
    }

    /// Writes compressed envelopes, each with an event of about the given size, into a file. Returns the average number
    /// of bytes before and after compression.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed_envelopes(
        &self,
        file: &Path,
        count: usize,
        bytes: usize,
    ) -> Result<[f64; 2]> {
        let mut command = Command::new(&self.error_seed);
        command.arg("bodies").arg(file);
        command.args([count.to_string(), bytes.to_string()]);
        let output = String::from_utf8(invoke::capture(&mut command)?)?;
        let (plain, compressed) = output.trim().split_once(' ').context("two averages")?;
        Ok([plain.parse()?, compressed.parse()?])
    }

    /// Stores `count` events in the project of a server's sample data.
    ///
    /// # Errors
    /// When the seed program fails.
    pub(crate) fn seed_events(&self, server: &BenchServer, count: usize) -> Result<()> {
        let mut command = Command::new(&self.error_seed);
        command.arg("events");
        seed_rows_by(command, server, count)
    }

    /// Size of a server's database, in bytes.
    ///
    /// # Errors
    /// When the size cannot be queried.
    pub(crate) fn stored_bytes(&self, server: &BenchServer) -> Result<f64> {
        self.bytes("size", server)
    }

    /// Bytes written so far: to the disk by a server on SQLite, or to the write-ahead log by its PostgreSQL server.
    ///
    /// # Errors
    /// When the server has ended.
    pub(crate) fn written_bytes(&self, server: &BenchServer) -> Result<f64> {
        if server.database.is_some() {
            self.bytes("journal", server)
        } else {
            written_bytes(server.pid())
        }
    }

    fn bytes(&self, of: &str, server: &BenchServer) -> Result<f64> {
        let mut command = Command::new(&self.error_seed);
        command.arg(of).arg(server.database_url()?);
        let output = String::from_utf8(invoke::capture(&mut command)?)?;
        Ok(output.trim().parse()?)
    }

    /// Starts the floor.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn floor(&self) -> Result<BenchServer> {
        let mut command = Command::new(&self.floor);
        let (process, base_url) = start(&mut command)?;
        Ok(BenchServer {
            process,
            base_url,
            demo: Value::Null,
            data: None,
            database: None,
        })
    }

    /// Starts the server with sample data on a fresh SQLite database.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn on_sqlite(&self) -> Result<BenchServer> {
        Self::demo(&self.server, None, UNLIMITED)
    }

    /// Starts the server with sample data and a limit of API requests for each user, in the form of the configuration.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn with_limit(&self, limit: &str) -> Result<BenchServer> {
        let limit = [("GATEHOUSE_LIMITS_AUTHENTICATED_API", limit)];
        Self::demo(&self.server, None, &limit)
    }

    /// Starts another build of the server with sample data on a fresh SQLite database.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn other(program: &Path) -> Result<BenchServer> {
        Self::demo(program, None, &[])
    }

    /// Starts the server with sample data and 300 more operations.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn with_many_operations(&self) -> Result<BenchServer> {
        Self::demo(&self.many_operations, None, UNLIMITED)
    }

    /// Starts the server with sample data on a fresh PostgreSQL database.
    ///
    /// # Errors
    /// When it does not start, or no PostgreSQL server is installed.
    pub(crate) fn on_postgres(&self) -> Result<BenchServer> {
        Self::demo(&self.server, Some(self.database()?), UNLIMITED)
    }

    /// A fresh PostgreSQL database, which is dropped with the value.
    ///
    /// # Errors
    /// When no PostgreSQL server is installed.
    pub(crate) fn database(&self) -> Result<BenchDatabase> {
        let mut command = Command::new(&self.database);
        command.stdin(Stdio::piped());
        let (mut process, url) = start(&mut command)?;
        if !url.starts_with("postgres") {
            bail!("PostgreSQL is not installed; `cargo xtask test` installs it");
        }
        let stdin = process.0.stdin.take();
        Ok(BenchDatabase {
            url,
            stdin,
            process,
        })
    }

    fn demo(
        program: &Path,
        database: Option<BenchDatabase>,
        variables: &[(&str, &str)],
    ) -> Result<BenchServer> {
        let data = tempfile::tempdir()?;
        let mut command = command(program, &data);
        command.envs(variables.iter().copied());
        command.args(["demo", "--print-json", "--listen", "127.0.0.1:0", "--data"]);
        command.arg(data.path());
        if let Some(database) = &database {
            command.args(["--database", &database.url]);
        }
        let (process, line) = start(&mut command)?;
        let demo: Value = serde_json::from_str(&line).context("the demo prints JSON")?;
        Ok(BenchServer {
            process,
            base_url: text(&demo, "/base_url")?,
            demo,
            data: Some(data),
            database,
        })
    }

    /// Command that runs the server with its data in a directory.
    pub(crate) fn command(&self, data: &TempDir) -> Command {
        command(&self.server, data)
    }
}

fn seed_rows(program: &Path, server: &BenchServer, count: usize) -> Result<()> {
    seed_rows_by(Command::new(program), server, count)
}

fn seed_rows_by(mut command: Command, server: &BenchServer, count: usize) -> Result<()> {
    add_rows(&mut command, server, count)?;
    invoke::capture(&mut command).map(drop)
}

/// Adds the database, the project of the sample data, and a number of rows to the arguments of a seed program.
fn add_rows(command: &mut Command, server: &BenchServer, count: usize) -> Result<()> {
    let project = server.value("/project/id").and_then(Value::as_i64);
    let project = project.context("the demo prints no project")?;
    command.arg(server.database_url()?);
    command.args([project.to_string(), count.to_string()]);
    Ok(())
}

fn command(program: &Path, data: &TempDir) -> Command {
    let mut command = Command::new(program);
    command.env("GATEHOUSE_DATA_DIR", data.path());
    command.env("GATEHOUSE_LOG_LEVEL", "warn");
    command
}

/// A process that is killed when the value is dropped.
#[derive(Debug)]
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended by itself; then there is nothing to do.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A PostgreSQL database that belongs to one measurement.
#[derive(Debug)]
pub(crate) struct BenchDatabase {
    url: String,
    stdin: Option<ChildStdin>,
    process: Process,
}

impl Drop for BenchDatabase {
    fn drop(&mut self) {
        // Closing its standard input makes the process drop the database and exit.
        drop(self.stdin.take());
        let _ = self.process.0.wait();
    }
}

/// A server that runs until the value is dropped.
#[derive(Debug)]
pub(crate) struct BenchServer {
    process: Process,
    pub(crate) base_url: String,
    demo: Value,
    data: Option<TempDir>,
    database: Option<BenchDatabase>,
}

impl BenchServer {
    /// The database of the server.
    ///
    /// # Errors
    /// For the floor, which has none.
    pub(crate) fn database_url(&self) -> Result<String> {
        match (&self.database, &self.data) {
            (Some(database), _) => Ok(database.url.clone()),
            (None, Some(data)) => {
                let file = data.path().join("gatehouse.sqlite3");
                Ok(format!("sqlite:{}", file.display()))
            }
            (None, None) => bail!("the floor has no database"),
        }
    }

    /// Ends the process, and starts the server again with its data and at its address.
    ///
    /// # Errors
    /// When it does not start.
    pub(crate) fn restart(&mut self, programs: &Programs) -> Result<()> {
        let address = self.base_url.trim_start_matches("http://").to_owned();
        let port = address.rsplit(':').next().unwrap_or_default().parse()?;
        let data = self.data.as_ref().context("the server has data")?;
        let mut command = programs.command(data);
        command.envs(UNLIMITED.iter().copied());
        command.args(["serve", "--listen", &address]);
        command.args(["--database", &self.database_url()?]);
        self.process.0.kill()?;
        self.process.0.wait()?;
        self.process = Process(command.stdout(Stdio::null()).spawn()?);
        wait_until_ready(port, "/-/health", Instant::now()).map(drop)
    }

    /// A string of the demo's output, by its JSON pointer.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn text(&self, pointer: &str) -> Result<String> {
        text(&self.demo, pointer)
    }

    /// A value of the demo's output, by its JSON pointer.
    pub(crate) fn value(&self, pointer: &str) -> Option<&Value> {
        self.demo.pointer(pointer)
    }

    /// The directory of the server's data; `None` for the floor.
    pub(crate) const fn data(&self) -> Option<&TempDir> {
        self.data.as_ref()
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.0.id()
    }
}

fn text(demo: &Value, pointer: &str) -> Result<String> {
    let found = demo.pointer(pointer).and_then(Value::as_str);
    found
        .map(str::to_owned)
        .with_context(|| format!("the demo prints no {pointer}"))
}

/// Starts a program and reads the first line of its output.
fn start(command: &mut Command) -> Result<(Process, String)> {
    let child = command.stdout(Stdio::piped()).spawn();
    let mut process = Process(child.with_context(|| format!("cannot start {command:?}"))?);
    let mut line = String::new();
    if let Some(stdout) = process.0.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    Ok((process, line.trim_end().to_owned()))
}
