//! The original's engine, as a separate process.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::outside;

/// The packages are installed for the system's Ruby, so no other one will do.
const RUBY: &str = "/usr/bin/ruby";

/// A running oracle. It is killed when dropped.
#[derive(Debug)]
pub(crate) struct Oracle {
    process: Child,
    _directory: TempDir,
    /// The oracle's output: its URL, its user, and the applications.
    pub(crate) description: Value,
}

impl Oracle {
    /// Starts one with these applications, or returns `None` if its engine is not installed.
    pub(crate) fn start(applications: &Value) -> Option<Self> {
        let engine = outside::find(
            "GATEHOUSE_TEST_DOORKEEPER",
            &["/usr/share/rubygems-integration/all/specifications/doorkeeper-5.5.0.gemspec"],
        )?;
        let directory = tempfile::tempdir().unwrap();
        let mut process = Command::new(RUBY)
            .arg(outside::script("oracle/app.rb"))
            .arg(directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{RUBY} with {}: {error}", engine.display()));
        let mut input = process.stdin.take().unwrap();
        input
            .write_all(applications.to_string().as_bytes())
            .unwrap();
        drop(input);
        let mut first_line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap())
            .read_line(&mut first_line)
            .unwrap();
        Some(Self {
            process,
            _directory: directory,
            description: serde_json::from_str(&first_line).expect("the oracle says where it is"),
        })
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The process may have ended already; then there is nothing to kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
