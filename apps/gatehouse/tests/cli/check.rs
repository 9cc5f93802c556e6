//! `gatehouse check`: it checks the configuration and the database, and creates neither.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::TestCaller;

/// All files in a directory, by their paths.
fn files(shell: &TestShell) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![shell.directory().to_owned()];
    while let Some(directory) = waiting.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            found.push(path.display().to_string());
            if path.is_dir() {
                waiting.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Checking a missing database does not create it.
#[test]
fn check_creates_no_files() {
    let shell = TestShell::new();
    for flags in [
        &[][..],
        &["--data", "deep/er"],
        &["--database", "sqlite:other.db"],
    ] {
        let outcome = shell.run(&[&["check"], flags].concat());
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let part = "does not exist; run `gatehouse migrate` to create it";
        assert!(outcome.error_output.contains(part), "{outcome:?}");
        assert!(files(&shell).is_empty(), "{:?}", files(&shell));
    }
    shell.run(&["migrate"]).checked_output();
    let before = files(&shell);
    shell.run(&["check"]).checked_output();
    assert_eq!(files(&shell), before);
}

#[test]
fn faults_of_the_configuration_and_of_the_database_are_reported_together() {
    let shell = TestShell::new()
        .with_file("gatehouse.toml", "[server]\nunheard_of = 1\n")
        .with("GATEHOUSE_SERVR_LISTEN", "127.0.0.1:1");
    let error_output = shell.run(&["check"]).error_message();
    for word in [
        "2 error(s)",
        "server.unheard_of: unknown key",
        "GATEHOUSE_SERVR_LISTEN: unknown environment variable",
        "the database sqlite:./data/gatehouse.sqlite3 does not exist",
    ] {
        assert!(
            error_output.contains(word),
            "{word} is not in: {error_output}"
        );
    }
    shell
        .run(&["migrate", "--config", "gatehouse.toml"])
        .error_message();
    assert!(!shell.path("data").exists());
}

/// Faults of the database settings are reported once, and no other database is checked instead.
#[test]
fn a_database_that_is_not_known_for_certain_is_not_checked() {
    for (name, value) in [
        ("GATEHOUSE_DATABASE_READERS", "many"),
        ("GATEHOUSE_DATABASE_ULR", "sqlite:other.db"),
        ("GATEHOUSE_DATA_DIRECTORY", "elsewhere"),
        ("GATEHOUSE_DATABASE_URL", "mysql://db/gate"),
    ] {
        let shell = TestShell::new().with(name, value);
        let error_output = shell.run(&["check"]).error_message();
        assert!(
            error_output.contains("1 error(s)"),
            "{name}: {error_output}"
        );
        let part = "the database was not checked";
        assert!(error_output.contains(part), "{name}: {error_output}");
        assert!(
            !error_output.contains("does not exist"),
            "{name}: {error_output}"
        );
    }
}

#[test]
fn a_healthy_database_is_reported_despite_an_invalid_configuration() {
    let shell = TestShell::new();
    shell.run(&["migrate"]).checked_output();
    let outcome = shell
        .with("GATEHOUSE_SERVER_WORKERS", "many")
        .run(&["check"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome.error_output.contains("server.workers"),
        "{outcome:?}"
    );
    let part = "sqlite:./data/gatehouse.sqlite3 is reachable and up to date; \
                all pages and indexes are consistent\n";
    assert_eq!(outcome.output, part);
}

/// A page in the middle is lost to a broken disk, or to a copy made while the server was writing.
#[test]
fn a_database_with_an_overwritten_page_is_damaged() {
    let shell = TestShell::new();
    shell.user("ann", &[]);
    let path = shell.path("data/gatehouse.sqlite3");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let outcome = shell.run(&["check"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let part = "sqlite:./data/gatehouse.sqlite3 is damaged; restore a backup with `gatehouse restore FILE`:";
    assert!(outcome.error_output.contains(part), "{outcome:?}");
}

#[test]
fn a_non_database_file_is_reported_with_its_path() {
    let shell =
        TestShell::new().with_file("text.db", &"This is a text, and a long one. ".repeat(500));
    let outcome = shell.run(&["check", "--database", "sqlite:text.db"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    for word in ["sqlite:text.db", "file is not a database"] {
        assert!(outcome.error_output.contains(word), "{outcome:?}");
    }
}

#[test]
fn created_files_are_accessible_only_by_their_owner() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    url_of(&mut process);
    shell.user("ann", &[]);
    let mut names = Vec::new();
    for path in files(&shell) {
        let path = Path::new(&path);
        let expected = if path.is_dir() { 0o700 } else { 0o600 };
        let mode = fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, expected, "{}", path.display());
        names.push(path.file_name().unwrap().to_str().unwrap().to_owned());
    }
    for name in [
        "data",
        "secret.key",
        "gatehouse.sqlite3-wal",
        "gatehouse.sqlite3-shm",
        "gatehouse.sqlite3-lock",
    ] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
    process.kill().unwrap();
    ending(process);
    shell.run(&["check"]).checked_output();
}

/// Files that an earlier version created, or whose permissions were changed, are left unchanged and reported.
#[test]
fn files_that_others_may_use_are_reported_with_the_remedy() {
    let shell = TestShell::new();
    shell.run(&["migrate"]).checked_output();
    let open_up = |name: &str, mode| {
        let path = shell.path(name);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    open_up("data", 0o755);
    open_up("data/gatehouse.sqlite3", 0o644);
    let outcome = shell.run(&["check"]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    for part in [
        "other users can access the directory ./data (mode 0755); run `chmod 700 ./data`",
        "other users can access the file ./data/gatehouse.sqlite3 (mode 0644); run `chmod 600 ./data/gatehouse.sqlite3`",
    ] {
        assert!(
            outcome.error_output.contains(part),
            "{part} is not in: {outcome:?}"
        );
    }
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let mut log = BufReader::new(process.stderr.take().unwrap()).lines();
    let warned = log.any(|line| {
        line.unwrap()
            .contains("WARN gatehouse::cli::serve: other users can access")
    });
    assert!(warned);
    process.kill().unwrap();
    ending(process);
    open_up("data", 0o700);
    open_up("data/gatehouse.sqlite3", 0o600);
    for journal in ["data/gatehouse.sqlite3-wal", "data/gatehouse.sqlite3-shm"] {
        open_up(journal, 0o600);
    }
    shell.run(&["check"]).checked_output();
}

/// OAUTH-16. The keys that sign id tokens are encrypted with the secret key.
#[test]
fn a_missing_or_wrong_secret_key_is_reported_with_a_remedy() {
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    let keys = TestCaller::new(&url, None).get("/oauth/discovery/keys");
    keys.assert_ok();
    process.kill().unwrap();
    ending(process);
    shell.run(&["check"]).checked_output();

    let (file, kept) = (shell.path("data/secret.key"), shell.path("kept"));
    fs::rename(&file, &kept).unwrap();
    let outcome = shell.run(&["check"]);
    let part =
        "the secret key is missing, but secrets in the database are encrypted with it; restore";
    assert!(outcome.error_output.contains(part), "{outcome:?}");
    assert_eq!(outcome.code, 1);
    assert!(!file.exists(), "none is made");

    fs::copy(&kept, &file).unwrap();
    shell.run(&["check"]).checked_output();
    let other = shell.with("GATEHOUSE_SECURITY_SECRET_KEY", &"5a".repeat(32));
    let outcome = other.run(&["check"]);
    let part = "the secret key in security.secret_key is not the one that secrets in the database are encrypted with; replace it with that key";
    assert!(outcome.error_output.contains(part), "{outcome:?}");
    assert_eq!(outcome.code, 1);
    let same = fs::read_to_string(&kept).unwrap();
    let same = other.with("GATEHOUSE_SECURITY_SECRET_KEY", same.trim());
    same.run(&["check"]).checked_output();
}
