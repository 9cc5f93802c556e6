//! A user's shell, in a directory of its own.

use std::fs;
use std::io::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::server::program;

/// A directory, and environment variables.
#[derive(Debug)]
pub(crate) struct TestShell {
    directory: TempDir,
    variables: Vec<(String, String)>,
}

/// Result of a command: its exit code and output.
#[derive(Debug)]
pub(crate) struct CommandResult {
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) output: String,
    /// Standard error.
    pub(crate) error_output: String,
}

impl CommandResult {
    /// Checks that the command succeeded without messages, and returns its output.
    #[track_caller]
    pub(crate) fn checked_output(self) -> String {
        assert_eq!((self.code, self.error_output.as_str()), (0, ""), "{self:?}");
        self.output
    }

    /// Checks that the command succeeded, and returns the JSON object that it printed.
    #[track_caller]
    pub(crate) fn json(self) -> Value {
        let printed = self.checked_output();
        assert_eq!(printed.lines().count(), 1, "{printed}");
        serde_json::from_str(&printed).unwrap()
    }

    /// Checks that the command failed without output, and returns its error message.
    #[track_caller]
    pub(crate) fn error_message(self) -> String {
        assert_eq!((self.code, self.output.as_str()), (1, ""), "{self:?}");
        assert!(self.error_output.starts_with("gatehouse: "), "{self:?}");
        self.error_output
    }
}

impl TestShell {
    /// A shell in an empty directory.
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            variables: Vec::new(),
        }
    }

    /// A shell in a directory with an empty database, as needed for administration.
    pub(crate) fn migrated() -> Self {
        let shell = Self::new();
        shell.run(&["migrate"]).checked_output();
        shell
    }

    /// The same shell with a variable set.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same shell with a file.
    pub(crate) fn with_file(self, name: &str, text: &str) -> Self {
        fs::write(self.path(name), text).unwrap();
        self
    }

    /// A path in the directory.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The directory.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> CommandResult {
        self.run_with_input(arguments, "")
    }

    /// Runs the program with the given standard input.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> CommandResult {
        let mut process = self.spawn(arguments);
        let mut stdin = process.stdin.take().unwrap();
        // A command that refuses its flags never reads its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        ending(process)
    }

    /// Starts the program with a socket in `LISTEN_FDS`, which a service manager sets.
    pub(crate) fn spawn_with_socket(&self, socket: OwnedFd, arguments: &[&str]) -> Child {
        // The shell moves the socket to the first number after the standard streams, and sets the variables.
        let script = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" \"$@\"";
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        Command::new("sh")
            .args(["-c", script])
            .arg(program())
            .args(arguments)
            .envs(variables)
            .current_dir(self.directory.path())
            .stdin(Stdio::from(socket))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Starts the program, with all its streams piped.
    pub(crate) fn spawn(&self, arguments: &[&str]) -> Child {
        let variables = self.variables.iter().map(|(name, value)| (name, value));
        Command::new(program())
            .args(arguments)
            .envs(variables)
            .current_dir(self.directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Creates a user, and returns the command's output.
    #[track_caller]
    pub(crate) fn user(&self, username: &str, more: &[&str]) -> Value {
        self.run(&["migrate"]).checked_output();
        let email = format!("{username}@example.com");
        let fixed = ["user", "create", "--json", "--username", username];
        let all = [&fixed[..], &["--email", &email], more].concat();
        self.run(&all).json()
    }
}

/// Waits for the end of a process.
pub(crate) fn ending(process: Child) -> CommandResult {
    let output = process.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    CommandResult {
        code: output.status.code().unwrap_or(-1),
        output: text(&output.stdout),
        error_output: text(&output.stderr),
    }
}
