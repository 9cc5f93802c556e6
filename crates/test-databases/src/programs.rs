//! Paths of the server programs, and the account to run them as.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::succeed;

/// Directory of Debian's programs, one subdirectory for each major version.
const VERSIONS: &str = "/usr/lib/postgresql";
/// Accounts to run the server as when the tests run as root, because PostgreSQL refuses to run as root.
const ACCOUNTS: [&str; 2] = ["postgres", "nobody"];

/// The server programs of one version.
#[derive(Debug)]
pub(crate) struct ServerPrograms {
    directory: PathBuf,
    account: Option<&'static str>,
}

impl ServerPrograms {
    /// Finds the programs of the newest installed version.
    pub(crate) fn find() -> Option<Self> {
        let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
        let installed = fs::read_dir(VERSIONS)
            .ok()?
            .filter_map(Result::ok)
            .map(|entry| entry.path());
        let newest = installed
            .filter(|path| path.join("bin/initdb").exists() && path.join("bin/pg_ctl").exists())
            .max_by_key(|path| version(path))?;
        Some(Self {
            directory: newest.join("bin"),
            account: account(),
        })
    }

    /// Directory of the programs.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// A command that runs one of the programs, as an account that the server accepts.
    pub(crate) fn command(&self, program: &str) -> Command {
        self.run_as_account(self.directory.join(program))
    }

    /// A command that runs a program as the account of the server.
    pub(crate) fn run_as_account(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = match self.account {
            None => Command::new(program),
            Some(account) => {
                let mut command = Command::new("runuser");
                command.args(["-u", account, "--"]).arg(program);
                command
            }
        };
        // The account may not be allowed to enter the directory of the tests.
        command.current_dir("/");
        command
    }

    /// The same command as shell words. None of them needs quoting.
    pub(crate) fn shell(&self, program: &str) -> String {
        let path = self.directory.join(program);
        match self.account {
            None => path.display().to_string(),
            Some(account) => format!("runuser -u {account} -- {}", path.display()),
        }
    }

    /// Creates a directory that belongs to the server's account.
    pub(crate) fn create_directory(&self, path: &Path) {
        let mut command = match self.account {
            None => Command::new("mkdir"),
            Some(account) => {
                let mut command = Command::new("runuser");
                command.args(["-u", account, "--", "mkdir"]);
                command
            }
        };
        succeed(command.current_dir("/").args(["-m", "711"]).arg(path));
    }
}

/// The account to change to, when the tests run as root.
fn account() -> Option<&'static str> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let exists = |account: &&str| {
        Command::new("id")
            .arg(account)
            .output()
            .is_ok_and(|output| output.status.success())
    };
    is_root.then(|| ACCOUNTS.into_iter().find(exists)).flatten()
}
