//! Asking a process to end.

use std::process::Command;

/// Sends SIGTERM. The shell's own command does it: a bare machine has no program for it.
pub(crate) fn terminate(pid: u32) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill -TERM \"$1\"", "sh", &pid.to_string()]);
    assert!(shell.status().unwrap().success());
}
