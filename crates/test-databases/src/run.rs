//! Running a program to its end.

use std::fs;
use std::process::{Command, Stdio};

/// Sends a signal to processes. Returns `false` if one of them does not exist. Uses the command of the shell, because a
/// minimal machine has no program for it.
pub(crate) fn signal(name: &str, pids: &[i32]) -> bool {
    let script = "signal=$1; shift; kill -\"$signal\" \"$@\"";
    let status = Command::new("sh")
        .args(["-c", script, "sh", name])
        .args(pids.iter().map(ToString::to_string))
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// Runs a command and panics with its output unless it succeeds.
///
/// The output goes through a file: a server that the command leaves running would keep a pipe open forever.
pub(crate) fn succeed(command: &mut Command) {
    let path = std::env::temp_dir().join(format!(
        "gatehouse-test-postgres-{}.out",
        std::process::id()
    ));
    let file = fs::File::create(&path).expect("the temporary directory is writable");
    let errors = file.try_clone().expect("a file handle can be cloned");
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::from(file))
        .stderr(Stdio::from(errors))
        .status()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let output = fs::read_to_string(&path).unwrap_or_default();
    // The file is no longer needed; another thread may have removed it.
    let _ = fs::remove_file(&path);
    assert!(status.success(), "{command:?}: {status}\n{output}");
}
