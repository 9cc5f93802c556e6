//! `gatehouse check`: it looks at the configuration and the database, and makes neither.

use std::fs;

use crate::serve::url_of;
use crate::shell::{Shell, ending};
use crate::support::Caller;

/// Everything in a directory, by its path.
fn files(shell: &Shell) -> Vec<String> {
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

/// Checking a database that is not there is no way to make one.
#[test]
fn a_check_makes_nothing() {
    let shell = Shell::new();
    for flags in [
        &[][..],
        &["--data", "deep/er"],
        &["--database", "sqlite:other.db"],
    ] {
        let outcome = shell.run(&[&["check"], flags].concat());
        assert_eq!(outcome.code, 1, "{outcome:?}");
        let told = "does not exist; `gatehouse migrate` makes it";
        assert!(outcome.complaint.contains(told), "{outcome:?}");
        assert!(files(&shell).is_empty(), "{:?}", files(&shell));
    }
    shell.run(&["migrate"]).printed();
    let before = files(&shell);
    shell.run(&["check"]).printed();
    assert_eq!(files(&shell), before);
}

#[test]
fn faults_of_the_configuration_and_of_the_database_are_told_together() {
    let shell = Shell::new()
        .with_file("gatehouse.toml", "[server]\nunheard_of = 1\n")
        .with("GATEHOUSE_SERVR_LISTEN", "127.0.0.1:1");
    let complaint = shell.run(&["check"]).complained();
    for word in [
        "2 fault(s)",
        "server.unheard_of: unknown key",
        "GATEHOUSE_SERVR_LISTEN: unknown environment variable",
        "the database sqlite:./data/gatehouse.sqlite3 does not exist",
    ] {
        assert!(complaint.contains(word), "{word} is not in: {complaint}");
    }
    shell
        .run(&["migrate", "--config", "gatehouse.toml"])
        .complained();
    assert!(!shell.path("data").exists());
}

/// What is wrong with the settings of the database is not told twice, and no other database is looked at instead.
#[test]
fn a_database_that_is_not_known_for_certain_is_not_checked() {
    for (name, value) in [
        ("GATEHOUSE_DATABASE_READERS", "many"),
        ("GATEHOUSE_DATABASE_ULR", "sqlite:other.db"),
        ("GATEHOUSE_DATA_DIRECTORY", "elsewhere"),
        ("GATEHOUSE_DATABASE_URL", "mysql://db/gate"),
    ] {
        let shell = Shell::new().with(name, value);
        let complaint = shell.run(&["check"]).complained();
        assert!(complaint.contains("1 fault(s)"), "{name}: {complaint}");
        let told = "the database was not checked";
        assert!(complaint.contains(told), "{name}: {complaint}");
        assert!(!complaint.contains("does not exist"), "{name}: {complaint}");
    }
}

#[test]
fn a_sound_database_is_said_to_be_sound_beside_a_configuration_that_is_not() {
    let shell = Shell::new();
    shell.run(&["migrate"]).printed();
    let outcome = shell
        .with("GATEHOUSE_SERVER_WORKERS", "many")
        .run(&["check"]);
    assert_eq!(outcome.code, 1);
    assert!(outcome.complaint.contains("server.workers"), "{outcome:?}");
    let told = "sqlite:./data/gatehouse.sqlite3 is reachable and up to date\n";
    assert_eq!(outcome.output, told);
}

/// OAUTH-16. The keys that sign id tokens are sealed under the secret key.
#[test]
fn a_secret_key_that_the_database_was_not_written_under_is_told_with_what_to_do() {
    let shell = Shell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    let keys = Caller::new(&url, None).get("/oauth/discovery/keys");
    keys.assert_ok();
    process.kill().unwrap();
    ending(process);
    shell.run(&["check"]).printed();

    let (file, kept) = (shell.path("data/secret.key"), shell.path("kept"));
    fs::rename(&file, &kept).unwrap();
    let outcome = shell.run(&["check"]);
    let told = "there is no secret key, but the database was written under one; bring back";
    assert!(outcome.complaint.contains(told), "{outcome:?}");
    assert_eq!(outcome.code, 1);
    assert!(!file.exists(), "none is made");

    fs::copy(&kept, &file).unwrap();
    shell.run(&["check"]).printed();
    let other = shell.with("GATEHOUSE_SECURITY_SECRET_KEY", &"5a".repeat(32));
    let outcome = other.run(&["check"]);
    let told = "the secret key in security.secret_key is not the one that the database was written under; put that one there";
    assert!(outcome.complaint.contains(told), "{outcome:?}");
    assert_eq!(outcome.code, 1);
    let same = fs::read_to_string(&kept).unwrap();
    let same = other.with("GATEHOUSE_SECURITY_SECRET_KEY", same.trim());
    same.run(&["check"]).printed();
}
