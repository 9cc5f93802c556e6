//! Installation of Debian packages without starting their services.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::invoke;

/// The file that Debian consults before a package starts a service.
const POLICY: &str = "/usr/sbin/policy-rc.d";

/// Runs a command while the file at `$1` forbids services to start. Keeps an existing file. A shell does this, because
/// it removes the file even when it is interrupted.
const FORBIDDING: &str = r#"
policy=$1
shift
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' HUP INT TERM
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
fi
"$@"
"#;

/// Installs packages. Needs root.
///
/// # Errors
/// When the package manager fails; it has printed the reason.
pub(crate) fn install(packages: &[&str]) -> Result<()> {
    let mut update = Command::new("apt-get");
    update.args(["--quiet", "update"]);
    ensure!(invoke::run_visible(&mut update)?, "apt-get update failed");
    let mut install = without_services(Path::new(POLICY), "apt-get");
    install.args(["--quiet", "install", "--yes", "--no-install-recommends"]);
    install
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    ensure!(invoke::run_visible(&mut install)?, "apt-get install failed");
    Ok(())
}

/// A command that runs a program while no package starts a service.
fn without_services(policy: &Path, program: &str) -> Command {
    let mut command = Command::new("/bin/sh");
    command
        .args(["-c", FORBIDDING, "sh"])
        .arg(policy)
        .arg(program);
    command
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Runs a script with its policy file at `$1`, and returns its exit code.
    fn run(policy: &Path, script: &str) -> Option<i32> {
        let mut command = without_services(policy, "sh");
        let status = command.args(["-c", script, "sh"]).arg(policy).status();
        status.unwrap().code()
    }

    #[test]
    fn services_are_forbidden_meanwhile_and_allowed_afterwards() {
        let directory = tempfile::tempdir().unwrap();
        let policy = directory.path().join("policy-rc.d");
        // The script exits with the policy's answer.
        assert_eq!(run(&policy, "\"$1\" some-service start"), Some(101));
        assert!(!policy.exists());
    }

    #[test]
    fn the_policy_goes_away_when_the_installation_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let policy = directory.path().join("policy-rc.d");
        assert_eq!(run(&policy, "kill -TERM $PPID"), Some(130));
        assert!(!policy.exists());
    }

    #[test]
    fn a_policy_of_the_machine_stays() {
        let directory = tempfile::tempdir().unwrap();
        let policy = directory.path().join("policy-rc.d");
        fs::write(&policy, "own").unwrap();
        assert_eq!(run(&policy, "exit 3"), Some(3));
        assert_eq!(fs::read_to_string(&policy).unwrap(), "own");
    }
}
