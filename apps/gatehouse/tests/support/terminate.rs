//! Asking a process to terminate.

use std::process::Command;

/// Sends SIGTERM. Uses the shell's built-in command, because a minimal machine has no program for it.
pub(crate) fn terminate(pid: u32) {
    let mut shell = Command::new("sh");
    shell.args(["-c", "kill -TERM \"$1\"", "sh", &pid.to_string()]);
    assert!(shell.status().unwrap().success());
}
