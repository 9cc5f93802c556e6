//! Start and memory of the servers that the tests install and people run for the same jobs.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::footprint::{free_port, resident_kib, wait_until_ready};
use super::servers::Process;
use crate::workspace::Workspace;

/// The Ruby of the system, for which Debian packages Doorkeeper.
const RUBY: &str = "/usr/bin/ruby";
/// The description of Doorkeeper's package.
const DOORKEEPER: &str =
    "/usr/share/rubygems-integration/all/specifications/doorkeeper-5.5.0.gemspec";
/// Alertmanager of Debian.
const ALERTMANAGER: &str = "/usr/bin/prometheus-alertmanager";
/// The Rails application with Doorkeeper, and its OAuth applications.
const APPLICATION: &str = "apps/gatehouse/tests/peers/oracle";
/// A receiver without a destination.
const RECEIVER: &str = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n";

/// Prints a row for each server that is installed: one start each, memory after the first response.
///
/// # Errors
/// When an installed server does not start.
pub(super) fn print(workspace: &Workspace) -> Result<()> {
    println!("\n| for comparison, one start each | start to first response, ms | memory, MB |");
    println!("| --- | --- | --- |");
    if Path::new(DOORKEEPER).exists() {
        row("Doorkeeper (Rails, Puma, SQLite)", doorkeeper(workspace)?)?;
    }
    if Path::new(ALERTMANAGER).exists() {
        row("Alertmanager", alertmanager()?)?;
    }
    Ok(())
}

/// A server that responded, and the time from its start.
type TimedProcess = (Process, Duration);

fn row(name: &str, (process, took): TimedProcess) -> Result<()> {
    let megabytes = resident_kib(process.0.id())? / 1000.0 * 1.024;
    println!(
        "| {name} | {:.0} | {megabytes:.1} |",
        took.as_secs_f64() * 1000.0
    );
    Ok(())
}

fn doorkeeper(workspace: &Workspace) -> Result<TimedProcess> {
    let data = tempfile::tempdir()?;
    let application = workspace.root().join(APPLICATION);
    let started = Instant::now();
    let mut command = Command::new(RUBY);
    command.arg(application.join("app.rb")).arg(data.path());
    let mut process = Process(
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?,
    );
    let mut input = process.0.stdin.take().context("standard input")?;
    input.write_all(&fs::read(application.join("applications.json"))?)?;
    drop(input);
    let mut line = String::new();
    let output = process.0.stdout.as_mut().context("standard output")?;
    BufReader::new(output).read_line(&mut line)?;
    let printed: Value = serde_json::from_str(&line)?;
    let url = printed.get("base_url").and_then(Value::as_str);
    let port = url
        .and_then(|url| url.rsplit(':').next())
        .context("a port")?
        .parse()?;
    let took = wait_until_ready(port, "/users/sign_in", started)?;
    Ok((process, took))
}

fn alertmanager() -> Result<TimedProcess> {
    let data = tempfile::tempdir()?;
    let configuration = data.path().join("alertmanager.yml");
    fs::write(&configuration, RECEIVER)?;
    let port = free_port()?;
    let started = Instant::now();
    let mut command = Command::new(ALERTMANAGER);
    command
        .arg(format!("--config.file={}", configuration.display()))
        .arg(format!(
            "--storage.path={}",
            data.path().join("state").display()
        ))
        .arg(format!("--web.listen-address=127.0.0.1:{port}"))
        .arg("--cluster.listen-address=");
    let process = Process(
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?,
    );
    let took = wait_until_ready(port, "/-/ready", started)?;
    Ok((process, took))
}
