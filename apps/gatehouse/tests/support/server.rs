//! The server under test: the real program, in a separate process.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{TestCaller, template, terminate};

/// The program under test. Cargo tells its path at run time, because the checkout may have been moved after the build;
/// without cargo it is in the build directory.
#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells where the program under test is"
)]
pub(crate) fn program() -> PathBuf {
    let named = std::env::var_os("CARGO_BIN_EXE_gatehouse").map(PathBuf::from);
    named.unwrap_or_else(|| {
        let own = std::env::current_exe().unwrap();
        own.ancestors().nth(2).unwrap().join("gatehouse")
    })
}

/// A directory for a server's data, accessible only to its owner, like those that the program creates.
fn data_directory() -> TempDir {
    let owner_alone = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    let mut builder = tempfile::Builder::new();
    builder.permissions(owner_alone).tempdir().unwrap()
}

/// A directory for the data of a server with this configuration. It has the demo's data, unless the configuration names a
/// database or decides what the demo creates.
fn data_for(configuration: &str) -> TempDir {
    let directory = data_directory();
    let is_own = |section: &str| configuration.contains(section);
    if ![
        "[database]",
        "[api]",
        "[data]",
        "[naming]",
        "[oauth]",
        "[security]",
    ]
    .into_iter()
    .any(is_own)
    {
        template::copy_into(directory.path());
    }
    directory
}

/// The file of a server's log, in the directory of its data.
const LOG: &str = "server.log";
/// The file of the certificates that a server trusts, in the directory of its data. Most servers trust those of the
/// machine.
const TRUSTED: &str = "trusted.pem";
/// The file of a server's own variables, one in each line, in the directory of its data.
const ENVIRONMENT: &str = "environment";

/// A running demo server. It is killed when dropped.
#[derive(Debug)]
pub(crate) struct TestServer {
    process: Child,
    directory: TempDir,
    extra: Vec<String>,
    logged: bool,
    /// The demo's output.
    pub(crate) demo: Value,
}

impl TestServer {
    /// A server on an embedded database of its own, which has the demo's initial data.
    pub(crate) fn start() -> Self {
        let directory = data_directory();
        template::copy_into(directory.path());
        Self::start_in(directory, &[], false)
    }

    /// A server that creates its database.
    pub(crate) fn start_fresh() -> Self {
        Self::start_in(data_directory(), &[], false)
    }

    /// A server with further flags.
    pub(crate) fn start_with(extra: &[&str]) -> Self {
        let directory = match value_of("--config", extra) {
            _ if extra.contains(&"--database") => data_directory(),
            Some(file) => data_for(&fs::read_to_string(file).unwrap()),
            None => data_for(""),
        };
        Self::start_in(directory, extra, false)
    }

    /// A server with a configuration file.
    pub(crate) fn start_configured(configuration: &str) -> Self {
        let directory = data_for(configuration);
        let file = write_configuration(&directory, configuration);
        Self::start_in(directory, &["--config", &file], false)
    }

    /// A server with a configuration file that sets the log level, and with a log file.
    pub(crate) fn start_logged(configuration: &str) -> Self {
        let directory = data_for(configuration);
        let file = write_configuration(&directory, configuration);
        Self::start_in(directory, &["--config", &file], true)
    }

    /// A server with a configuration file that trusts one certificate instead of those of the machine.
    pub(crate) fn start_trusting(certificate: &str, configuration: &str) -> Self {
        let directory = data_for(configuration);
        fs::write(directory.path().join(TRUSTED), certificate).unwrap();
        let file = write_configuration(&directory, configuration);
        Self::start_in(directory, &["--config", &file], false)
    }

    /// A server with variables of the environment, and with a log file.
    pub(crate) fn start_in_environment(variables: &[(&str, &str)]) -> Self {
        let directory = data_for("");
        let lines = variables
            .iter()
            .map(|(name, value)| format!("{name}={value}\n"));
        fs::write(
            directory.path().join(ENVIRONMENT),
            lines.collect::<String>(),
        )
        .unwrap();
        Self::start_in(directory, &[], true)
    }

    /// A server that clients reach below a path of its host, as behind a proxy that removes the path.
    pub(crate) fn start_below(path: &str) -> Self {
        let mut server = Self::start();
        let (address, url) = (server.address(), format!("{}{path}", server.base_url()));
        server.kill();
        let configuration = format!("[server]\nexternal_url = \"{url}\"\n");
        let file = write_configuration(&server.directory, &configuration);
        server.extra = vec!["--config".to_owned(), file];
        let data = server.directory.path();
        (server.process, server.demo) = launch(data, &address, &server.extra, false);
        server
    }

    /// Restarts the server on its own address, which is returned, with a configuration file after which clients reach it
    /// at another URL, as behind a proxy.
    pub(crate) fn restart_behind(&mut self, url: &str, configuration: &str) -> String {
        let address = self.address();
        self.kill();
        let server =
            format!("[server]\nexternal_url = \"{url}\"\ntrusted_proxies = \"127.0.0.1\"\n");
        let file = write_configuration(&self.directory, &format!("{server}{configuration}"));
        self.extra.extend(["--config".to_owned(), file]);
        let data = self.directory.path();
        (self.process, self.demo) = launch(data, &address, &self.extra, self.logged);
        address
    }

    /// A second process on the same database, which must be one that several processes may share.
    pub(crate) fn peer(&self) -> Self {
        let directory = data_directory();
        // Processes that share a database also share the key that encrypts its secrets.
        for file in ["demo-credentials.json", "secret.key"] {
            fs::copy(self.data().join(file), directory.path().join(file)).unwrap();
        }
        let flags: Vec<&str> = self.extra.iter().map(String::as_str).collect();
        Self::start_in(directory, &flags, false)
    }

    fn start_in(directory: TempDir, extra: &[&str], logged: bool) -> Self {
        let extra: Vec<String> = extra.iter().map(|&flag| flag.to_owned()).collect();
        let (process, demo) = launch(directory.path(), "127.0.0.1:0", &extra, logged);
        Self {
            process,
            directory,
            extra,
            logged,
            demo,
        }
    }

    /// The log so far of a server that was started with one.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join(LOG)).unwrap()
    }

    /// Kills the server as a power cut would, and starts it again on the same data and the same port.
    pub(crate) fn kill_and_restart(&mut self) {
        self.kill();
        self.restart();
    }

    /// Kills the server without a graceful stop.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Restarts a killed server, on the same data and the same port.
    pub(crate) fn restart(&mut self) {
        let address = self.address();
        let (process, demo) = launch(self.directory.path(), &address, &self.extra, self.logged);
        self.process = process;
        self.demo = demo;
    }

    /// Asks the server to stop and waits until it has.
    pub(crate) fn stop(&mut self) -> std::process::ExitStatus {
        terminate(self.process.id());
        self.process.wait().unwrap()
    }

    /// The address that the server listens on.
    pub(crate) fn address(&self) -> String {
        self.base_url().trim_start_matches("http://").to_owned()
    }

    /// The URL of the server.
    pub(crate) fn base_url(&self) -> &str {
        self.text("/base_url")
    }

    /// A string of the demo's output, by its JSON pointer.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.demo
            .pointer(pointer)
            .and_then(Value::as_str)
            .unwrap_or_else(|| panic!("no {pointer}"))
    }

    /// The path of the demo's project, for a URL.
    pub(crate) fn project(&self) -> String {
        self.demo.pointer("/project/id").unwrap().to_string()
    }

    /// The directory of the server's data.
    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().to_owned()
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// A number that the kernel reports about the process, such as `VmHWM`, its peak memory; sizes are in bytes.
    pub(crate) fn vital(&self, name: &str) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        let mut words = line.split_whitespace().skip(1);
        let number: u64 = words.next().unwrap().parse().unwrap();
        if words.next() == Some("kB") {
            number * 1024
        } else {
            number
        }
    }

    /// A caller without credentials.
    pub(crate) fn anonymous(&self) -> TestCaller {
        TestCaller::new(self.base_url(), None)
    }

    /// The demo's administrator.
    pub(crate) fn admin(&self) -> TestCaller {
        TestCaller::new(self.base_url(), Some(self.text("/admin/token")))
    }

    /// The demo's developer.
    pub(crate) fn developer(&self) -> TestCaller {
        TestCaller::new(self.base_url(), Some(self.text("/developer/token")))
    }

    /// The demo's reporter.
    pub(crate) fn reporter(&self) -> TestCaller {
        TestCaller::new(self.base_url(), Some(self.text("/reporter/token")))
    }

    /// A sender of alerts with a valid key.
    pub(crate) fn sender(&self) -> TestCaller {
        TestCaller::bearer(self.base_url(), self.text("/alerts/key"))
    }

    /// Runs the program on the same database, as an administrator in a shell would.
    pub(crate) fn command(&self, arguments: &[&str]) -> Output {
        self.command_with_input(arguments, "")
    }

    /// Runs a command and parses its output as JSON.
    pub(crate) fn command_json(&self, arguments: &[&str]) -> Value {
        let output = self.command(arguments);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs the program with the given standard input.
    pub(crate) fn command_with_input(&self, arguments: &[&str], input: &str) -> Output {
        let flags = self.extra.iter().map(String::as_str);
        let all: Vec<&str> = arguments.iter().copied().chain(flags).collect();
        command(self.directory.path(), &all, input)
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Runs the program on the database in `data` to its end.
pub(crate) fn command(data: &Path, arguments: &[&str], input: &str) -> Output {
    use std::io::Write as _;
    let mut process = Command::new(program())
        .args(arguments)
        .arg("--data")
        .arg(data)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    process
        .stdin
        .take()
        .unwrap()
        .write_all(input.as_bytes())
        .unwrap();
    process.wait_with_output().unwrap()
}

fn write_configuration(directory: &TempDir, configuration: &str) -> String {
    let file = directory.path().join("gatehouse.toml");
    fs::write(&file, configuration).unwrap();
    file.display().to_string()
}

/// Value that follows a flag.
fn value_of<'f>(flag: &str, flags: &'f [impl AsRef<str>]) -> Option<&'f str> {
    let mut flags = flags.iter().map(AsRef::as_ref);
    flags.find(|other| *other == flag)?;
    flags.next()
}

/// True if the configuration file of a test sets rate limits. They are off in all other tests, which send many requests
/// as one user and from one address.
fn has_limits(flags: &[String]) -> bool {
    let file = value_of("--config", flags);
    file.is_some_and(|file| fs::read_to_string(file).unwrap().contains("[limits]"))
}

fn launch(data: &Path, listen: &str, extra: &[String], logged: bool) -> (Child, Value) {
    let mut command = Command::new(program());
    command
        .args(["demo", "--print-json", "--listen", listen, "--data"])
        .arg(data)
        .args(extra)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if !has_limits(extra) {
        command.env("GATEHOUSE_LIMITS_ENABLED", "false");
    }
    let trusted = data.join(TRUSTED);
    if trusted.exists() {
        command.env("SSL_CERT_FILE", trusted);
    }
    let own = fs::read_to_string(data.join(ENVIRONMENT)).unwrap_or_default();
    command.envs(own.lines().filter_map(|line| line.split_once('=')));
    if logged {
        let log = File::options()
            .create(true)
            .append(true)
            .open(data.join(LOG));
        command.stderr(log.unwrap());
    } else {
        command.env("GATEHOUSE_LOG_LEVEL", "warn");
    }
    let mut process = command.spawn().unwrap();
    let mut first_line = String::new();
    BufReader::new(process.stdout.as_mut().unwrap())
        .read_line(&mut first_line)
        .unwrap();
    let demo = serde_json::from_str(&first_line).expect("the first line is one JSON object");
    (process, demo)
}
