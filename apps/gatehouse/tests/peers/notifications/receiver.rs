//! Process of a receiver: a script that prints what it gets.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::support::outside;

/// Longest time to wait for a line. A second attempt comes after five seconds.
const DEADLINE: Duration = Duration::from_mins(1);

/// Running receiver. It is killed when dropped.
#[derive(Debug)]
pub(super) struct Receiver {
    process: Child,
    input: ChildStdin,
    lines: mpsc::Receiver<Value>,
    /// First line: the port that it listens on, and maybe more.
    pub(super) first: Value,
}

impl Receiver {
    /// Starts a script of this directory in Python, or returns `None` if its packages are missing.
    pub(super) fn python(name: &str, arguments: &[&str]) -> Option<Self> {
        let mut command = Command::new(outside::find("GATEHOUSE_TEST_PYTHON", &[])?);
        command
            .args(["-B", "-W", "error::UserWarning"])
            .arg(script(name))
            .args(arguments);
        Some(Self::start(command))
    }

    /// Starts a script of this directory in Node, or returns `None` if its packages are missing.
    pub(super) fn node(name: &str) -> Option<Self> {
        let mut command = Command::new(outside::find("GATEHOUSE_TEST_NODE", &[])?);
        let packages = outside::find("GATEHOUSE_TEST_NODE_CLIENTS", &[])?;
        command.arg(script(name)).arg(packages);
        Some(Self::start(command))
    }

    fn start(mut command: Command) -> Self {
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let input = process.stdin.take().unwrap();
        let (sender, lines) = mpsc::channel();
        // The thread ends with the process.
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                let line = serde_json::from_str(&line).expect("each line is JSON");
                // A test that has seen enough receives no more.
                let _ = sender.send(line);
            }
        });
        let mut receiver = Self {
            process,
            input,
            lines,
            first: Value::Null,
        };
        receiver.first = receiver.next();
        receiver
    }

    /// Port that it listens on.
    pub(super) fn port(&self) -> &Value {
        &self.first["port"]
    }

    /// Sends a line to its standard input.
    pub(super) fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    /// Waits for the next line that it prints, and returns it.
    #[track_caller]
    pub(super) fn next(&self) -> Value {
        let line = self.lines.recv_timeout(DEADLINE);
        line.expect("the receiver prints a line")
    }

    /// Waits for this number of lines, and returns them.
    #[track_caller]
    pub(super) fn take(&self, number: usize) -> Vec<Value> {
        (0..number).map(|_| self.next()).collect()
    }

    /// Returns the lines that were printed and not yet taken.
    pub(super) fn rest(&self) -> Vec<Value> {
        self.lines.try_iter().collect()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn script(name: &str) -> std::path::PathBuf {
    outside::script(&format!("notifications/{name}"))
}
