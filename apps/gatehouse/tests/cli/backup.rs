//! `gatehouse backup` and `gatehouse restore`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _, SqliteConnection};
use serde_json::{Value, json};
use test_databases::TestDatabase;

use crate::serve::url_of;
use crate::shell::{TestShell, ending};
use crate::support::rows::change;
use crate::support::{TestCaller, TestServer, eventually};

/// Labels with texts that do not compress, so that a backup and a restore take a while.
pub(crate) const MANY_LABELS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) \
    INSERT INTO labels (project_id, title, description, color, created_at, updated_at) \
    SELECT 1, 'many-' || i, hex(randomblob(200)), '#000000', i, i FROM n";

/// The same labels on PostgreSQL.
const MANY_LABELS_THERE: &str = "INSERT INTO labels (project_id, title, description, color, created_at, updated_at) \
    SELECT 1, 'many-' || i, repeat(md5(random()::text), 8), '#000000', i, i FROM generate_series(1, 40000) AS n(i)";

#[derive(QueryableByName)]
struct TitleRow {
    #[diesel(sql_type = diesel::sql_types::Text)]
    text: String,
}

#[derive(QueryableByName)]
struct TableCount {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    count: i64,
}

/// The titles of all alerts in a data directory.
fn titles(data: &Path) -> BTreeSet<String> {
    let file = data.join("gatehouse.sqlite3").display().to_string();
    let mut connection = SqliteConnection::establish(&file).unwrap();
    let titles: Vec<TitleRow> = diesel::sql_query("SELECT title AS text FROM alerts")
        .load(&mut connection)
        .unwrap();
    titles.into_iter().map(|title| title.text).collect()
}

/// Restores into a directory of the shell, and checks the result.
#[track_caller]
fn restored(shell: &TestShell, file: &Path, data: &str) -> PathBuf {
    let file = file.display().to_string();
    shell
        .run(&["restore", &file, "--data", data])
        .checked_output();
    shell.run(&["check", "--data", data]).checked_output();
    shell.path(data)
}

/// Starts a server with sample data in a directory, and stops it.
pub(crate) fn stopped(statements: &str) -> TestServer {
    let mut server = TestServer::start();
    let keys = server.anonymous().get("/oauth/discovery/keys");
    keys.assert_ok();
    if !statements.is_empty() {
        change(&server, statements);
    }
    server.stop();
    server
}

pub(crate) fn backup_of(server: &TestServer, file: &Path) -> Value {
    server.command_json(&["backup", &file.display().to_string(), "--json"])
}

/// Creates a directory that only its owner may use, unless it exists.
fn create_private(directory: &Path) {
    fs::create_dir_all(directory).unwrap();
    fs::set_permissions(directory, fs::Permissions::from_mode(0o700)).unwrap();
}

/// File names in a directory with this prefix.
fn names(directory: &Path, beginning: &str) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(beginning)).collect();
    names.sort();
    names
}

/// A backup contains everything acknowledged before it began, and does not block anyone.
#[test]
fn a_backup_under_load_has_all_that_was_acknowledged_before_it() {
    let server = TestServer::start();
    let shell = TestShell::new();
    let path = server.text("/alerts/generic_url").to_owned();
    let path = path.strip_prefix(server.base_url()).unwrap();
    let acknowledged = Mutex::new(BTreeSet::new());
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        for sender in 0..8 {
            let (server, acknowledged, ended) = (&server, &acknowledged, &ended);
            scope.spawn(move || {
                let caller = server.sender();
                for number in 0.. {
                    if ended.load(Ordering::Relaxed) {
                        break;
                    }
                    let title = format!("alert {sender} {number}");
                    caller.post(path, &json!({ "title": title })).expect(200);
                    acknowledged.lock().unwrap().insert(title);
                }
            });
        }
        for round in 0..4 {
            let expected = 20 * (round + 1);
            eventually("alerts were acknowledged", || {
                (acknowledged.lock().unwrap().len() > expected).then_some(())
            });
            let before = acknowledged.lock().unwrap().clone();
            let file = shell.path("backup.tar");
            let report = backup_of(&server, &file);
            let data = restored(&shell, &file, &format!("data-{round}"));
            let there = titles(&data);
            assert!(report["tables"]["alerts"].as_u64() >= Some(there.len() as u64));
            let lost: Vec<_> = before.difference(&there).collect();
            assert!(lost.is_empty(), "{lost:?}");
            let mode = fs::metadata(&file).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode, 0o600);
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(names(shell.directory(), "backup"), ["backup.tar"]);
}

/// Users, tokens and signing keys are those of the backed-up server.
#[test]
fn a_restored_server_keeps_users_tokens_and_signing_keys() {
    let server = TestServer::start();
    let keys = server.anonymous().get("/oauth/discovery/keys").expect(200);
    let shell = TestShell::new().with("GATEHOUSE_LOG_FORMAT", "json");
    let file = shell.path("backup.tar");
    let report = backup_of(&server, &file);
    assert!(report["rows"].as_u64() > Some(20), "{report}");
    let data = restored(&shell, &file, "data");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for name in names(&data, "") {
        assert_eq!(mode(&data.join(&name)), 0o600, "{name}");
    }
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let url = url_of(&mut process);
    let caller = TestCaller::new(&url, Some(server.text("/admin/token")));
    assert_eq!(caller.get("/oauth/discovery/keys").expect(200), keys);
    let user = caller.get("/api/v4/user").expect(200);
    assert_eq!(user["username"], server.text("/admin/username"));
    process.kill().unwrap();
    ending(process);
}

#[test]
fn a_place_that_holds_something_is_refused_and_left_alone() {
    let server = stopped("");
    let shell = TestShell::new();
    let file = shell.path("backup.tar");
    backup_of(&server, &file);
    let refused = |data: &str| {
        let file = file.display().to_string();
        shell
            .run(&["restore", &file, "--data", data])
            .error_message()
    };
    let data = restored(&shell, &file, "data");
    let before = fs::read(data.join("gatehouse.sqlite3")).unwrap();
    let error_output = refused("data");
    let part = "data is not empty: it contains data/gatehouse.sqlite3";
    assert!(error_output.contains(part), "{error_output}");
    assert_eq!(fs::read(data.join("gatehouse.sqlite3")).unwrap(), before);
    // The journal of a deleted database would be read as that of the new one.
    create_private(&shell.path("journal"));
    fs::write(shell.path("journal/gatehouse.sqlite3-wal"), "old").unwrap();
    let error_output = refused("journal");
    assert!(
        error_output.contains("journal/gatehouse.sqlite3-wal"),
        "{error_output}"
    );
    // Likewise, everything encrypted with another key would be lost.
    create_private(&shell.path("key"));
    let key = shell.path("key/secret.key");
    fs::write(&key, "5a".repeat(32)).unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let error_output = refused("key");
    let part = "key/secret.key contains a different secret key from the one in the backup";
    assert!(error_output.contains(part), "{error_output}");
    assert_eq!(names(&shell.path("key"), ""), ["secret.key"]);
    // The same key may already exist.
    fs::copy(data.join("secret.key"), &key).unwrap();
    restored(&shell, &file, "key");
}

/// The files in a backup, by their names.
fn parts(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(File::open(file).unwrap());
    let entries = archive.entries().unwrap();
    let part = |entry: std::io::Result<tar::Entry<'_, File>>| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    entries.map(part).collect()
}

fn write_parts(file: &Path, parts: &[(String, Vec<u8>)]) {
    let mut archive = tar::Builder::new(File::create(file).unwrap());
    for (name, bytes) in parts {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        archive
            .append_data(&mut header, name, bytes.as_slice())
            .unwrap();
    }
    archive.into_inner().unwrap().flush().unwrap();
}

#[test]
fn a_backup_that_was_changed_or_cut_is_refused_before_anything_is_written() {
    let server = stopped("");
    let shell = TestShell::new();
    let (file, bad) = (shell.path("backup.tar"), shell.path("bad.tar"));
    backup_of(&server, &file);
    let refused = |text: &str| {
        let outcome = shell.run(&["restore", "bad.tar", "--data", "data"]);
        let error_output = outcome.error_message();
        assert!(
            error_output.contains("bad.tar is not a usable backup"),
            "{text}: {error_output}"
        );
        assert!(!shell.path("data").exists(), "{text}");
    };
    let whole = fs::read(&file).unwrap();
    for length in [0, 511, 512, whole.len() / 2, whole.len() - 2048] {
        fs::write(&bad, &whole[..length]).unwrap();
        refused(&format!("cut to {length}"));
    }
    let parts = parts(&file);
    for (number, (name, bytes)) in parts.iter().enumerate() {
        for place in [0, bytes.len() / 2] {
            let mut changed = parts.clone();
            changed[number].1[place] ^= 1;
            write_parts(&bad, &changed);
            refused(&format!("{name}, byte {place}"));
        }
        let mut fewer = parts.clone();
        fewer.remove(number);
        write_parts(&bad, &fewer);
        refused(&format!("without {name}"));
    }
    fs::write(&bad, "This is a text, and a long one. ".repeat(100)).unwrap();
    refused("a text");
    write_parts(&bad, &parts);
    shell
        .run(&["restore", "bad.tar", "--data", "data"])
        .checked_output();
}

#[test]
fn mistyped_paths_are_refused_with_the_reason() {
    let server = stopped("");
    let shell = TestShell::new();
    let error_output = shell.run(&["restore", "nowhere.tar"]).error_message();
    assert!(
        error_output.contains("cannot use nowhere.tar"),
        "{error_output}"
    );
    for target in ["nowhere/backup.tar", "data"] {
        fs::create_dir_all(shell.path("data")).unwrap();
        let data = server.data().display().to_string();
        let error_output = shell
            .run(&["backup", target, "--data", &data])
            .error_message();
        assert!(error_output.contains(target), "{error_output}");
    }
    let error_output = shell
        .run(&["backup", "new.tar", "--data", "mistyped"])
        .error_message();
    assert!(error_output.contains("does not exist"), "{error_output}");
    assert!(!shell.path("mistyped").exists() && !shell.path("new.tar").exists());
    assert!(names(shell.directory(), "nowhere").is_empty());
}

#[test]
fn a_backup_has_the_secret_key_as_it_is_or_encrypted_or_not_at_all() {
    let server = stopped("");
    let shell = TestShell::new()
        .with_file("phrase", "correct horse battery\nnot part of it\n")
        .with_file("wrong", "correct horse batterz\n")
        .with_file("short", "correct");
    let data = server.data().display().to_string();
    let write = |file: &str, flags: &[&str]| {
        let command = ["backup", file, "--data", &data, "--json"];
        shell.run(&[&command[..], flags].concat()).json()
    };
    let names = |file: &str| parts(&shell.path(file)).into_iter().map(|(name, _)| name);
    let refused = |arguments: &[&str], text: &str| {
        let error_output = shell.run(arguments).error_message();
        assert!(error_output.contains(text), "{error_output}");
    };
    let plain = write("plain.tar", &[]);
    assert_eq!(plain["secret_key"], "plain");

    let report = write("without.tar", &["--without-key"]);
    assert_eq!(report["secret_key"], "left_out");
    assert!(!names("without.tar").any(|name| name.starts_with("secret")));
    let restore = ["restore", "without.tar", "--data", "without", "--json"];
    let restored = shell.run(&restore).json();
    assert_eq!(restored["missing_key_id"], plain["secret_key_id"]);
    let check = shell.run(&["check", "--data", "without"]).error_output;
    assert!(check.contains("the secret key is missing"), "{check}");

    let report = write("sealed.tar", &["--passphrase-file", "phrase"]);
    assert_eq!(report["secret_key"], "encrypted");
    assert!(!names("sealed.tar").any(|name| name == "secret.key"));
    let restore = ["restore", "sealed.tar", "--data", "sealed"];
    refused(&restore, "pass its passphrase with --passphrase-file FILE");
    for (file, text) in [("wrong", "does not decrypt"), ("short", "fewer than 12")] {
        refused(&[&restore[..], &["--passphrase-file", file]].concat(), text);
    }
    assert!(!shell.path("sealed").exists());
    shell
        .run(&[&restore[..], &["--passphrase-file", "phrase"]].concat())
        .checked_output();
    shell.run(&["check", "--data", "sealed"]).checked_output();
    let verify = ["restore", "--check", "sealed.tar", "--json"];
    assert_eq!(shell.run(&verify).json()["verified"], true);
    refused(
        &[&verify[..], &["--passphrase-file", "wrong"]].concat(),
        "does not decrypt",
    );
    assert!(!shell.path("data").exists());
}

#[test]
fn dated_backups_are_kept_up_to_a_number_and_other_files_are_left_alone() {
    let server = stopped("");
    let oldest = "gatehouse-20200101T000000Z.tar";
    let shell = TestShell::new();
    let directory = shell.path("all");
    create_private(&directory);
    let others = ["gatehouse-20200102T000000Z.tar.part", "gatehouse-notes.tar"];
    let older = "gatehouse-20200103T000000Z.tar";
    for name in [oldest, older, others[0], others[1]] {
        fs::write(directory.join(name), "a backup").unwrap();
    }
    let data = server.data().display().to_string();
    let write = |data: &str| {
        let command = ["backup", "--to", "all", "--keep", "2", "--json"];
        shell.run(&[&command[..], &["--data", data]].concat())
    };
    assert!(write("mistyped").error_message().contains("does not exist"));
    assert!(directory.join(oldest).exists());
    let report = write(&data).json();
    assert_eq!(report["deleted"], json!([format!("all/{oldest}")]));
    let new = report["file"].as_str().unwrap().trim_start_matches("all/");
    assert_eq!(names(&directory, ""), [others[0], older, new, others[1]]);
    restored(&shell, &directory.join(new), "data");
}

/// A backup without its key would be unusable.
#[test]
fn a_backup_is_refused_without_the_secret_key_of_the_database() {
    let server = stopped("");
    let shell = TestShell::new();
    fs::remove_file(server.data().join("secret.key")).unwrap();
    let data = server.data().display().to_string();
    let error_output = shell
        .run(&["backup", "backup.tar", "--data", &data])
        .error_message();
    assert!(
        error_output.contains(
            "the secret key is missing, but secrets in the database are encrypted with it"
        ),
        "{error_output}"
    );
    assert!(names(shell.directory(), "backup").is_empty());
}

/// Kills a process once a file has this many bytes. False if the process ended before.
pub(crate) fn killed_at(mut process: Child, file: &Path, bytes: u64) -> bool {
    loop {
        if fs::metadata(file).is_ok_and(|found| found.len() >= bytes) {
            process.kill().unwrap();
            return !process.wait().unwrap().success();
        }
        if let Some(status) = process.try_wait().unwrap() {
            assert!(status.success(), "{status}");
            return false;
        }
        thread::yield_now();
    }
}

#[test]
fn a_backup_that_is_killed_leaves_the_older_one() {
    let server = stopped(MANY_LABELS);
    let shell = TestShell::new();
    let file = shell.path("backup.tar");
    backup_of(&server, &file);
    let older = fs::read(&file).unwrap();
    let data = server.data().display().to_string();
    let part = shell.path("backup.tar.part");
    let length = older.len() as u64;
    let mut killed = 0;
    for bytes in [0, 1, length / 4, length / 2, length * 9 / 10] {
        // A file of the previous run would be mistaken for that of this run.
        let _ = fs::remove_file(&part);
        let process = shell.spawn(&["backup", "backup.tar", "--data", &data]);
        if killed_at(process, &part, bytes) {
            killed += 1;
            assert!(fs::read(&file).unwrap() == older, "killed at {bytes}");
        } else {
            fs::write(&file, &older).unwrap();
        }
    }
    assert!(killed >= 2, "killed {killed} times");
    shell
        .run(&["backup", "backup.tar", "--data", &data])
        .checked_output();
    assert_eq!(names(shell.directory(), "backup"), ["backup.tar"]);
    restored(&shell, &file, "data");
}

#[test]
fn an_interrupted_restore_is_reported_by_commands_and_can_be_repeated() {
    let server = stopped(MANY_LABELS);
    let shell = TestShell::new();
    let file = shell.path("backup.tar");
    backup_of(&server, &file);
    let (database, unfinished) = (
        shell.path("data/gatehouse.sqlite3"),
        shell.path("data/gatehouse.sqlite3-restoring"),
    );
    let mut killed = 0;
    for bytes in [0, 1, 1 << 20, 8 << 20, 12 << 20] {
        // A file of the previous run would be mistaken for that of this run.
        let _ = fs::remove_file(&unfinished);
        let process = shell.spawn(&["restore", "backup.tar"]);
        if killed_at(process, &unfinished, bytes) && !database.exists() {
            killed += 1;
            for command in [
                &["serve", "--listen", "127.0.0.1:0"][..],
                &["check"],
                &["migrate"],
            ] {
                let error_output = shell.run(command).error_output;
                let part = "was interrupted; run `gatehouse restore FILE` again, or delete";
                assert!(error_output.contains(part), "{command:?}: {error_output}");
            }
            assert!(!database.exists());
        } else {
            shell.run(&["check"]).checked_output();
            fs::remove_dir_all(shell.path("data")).unwrap();
        }
    }
    assert!(killed >= 2, "killed {killed} times");
    // The last phase: the key is in place, the database is not. It is too short to be hit by a kill.
    create_private(&shell.path("data"));
    fs::copy(
        server.data().join("secret.key"),
        shell.path("data/secret.key"),
    )
    .unwrap();
    fs::write(&unfinished, "half of it").unwrap();
    restored(&shell, &file, "data");
    assert!(!unfinished.exists());
    assert_eq!(titles(&shell.path("data")), titles(&server.data()));
}

/// Number of tables of a PostgreSQL database.
pub(crate) fn tables(database: &TestDatabase) -> i64 {
    let mut connection = PgConnection::establish(database.url()).unwrap();
    let tables = "SELECT count(*) AS count FROM pg_tables WHERE schemaname = 'public'";
    let tables: TableCount = diesel::sql_query(tables)
        .get_result(&mut connection)
        .unwrap();
    tables.count
}

/// True if a restore is inserting into the database.
pub(crate) fn is_inserting(database: &TestDatabase) -> bool {
    let mut connection = PgConnection::establish(database.url()).unwrap();
    let active = "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() \
                  AND query LIKE 'INSERT INTO%json_populate%'";
    let active: TableCount = diesel::sql_query(active)
        .get_result(&mut connection)
        .unwrap();
    active.count > 0
}

#[test]
fn a_database_of_postgresql_goes_into_a_backup_and_comes_back_whole_or_not_at_all() {
    let (Some(database), Some(copy)) = (TestDatabase::empty(), TestDatabase::empty()) else {
        return;
    };
    let server = TestServer::start_with(&["--database", database.url()]);
    let keys = server.anonymous().get("/oauth/discovery/keys").expect(200);
    let mut connection = PgConnection::establish(database.url()).unwrap();
    connection.batch_execute(MANY_LABELS_THERE).unwrap();
    let shell = TestShell::new()
        .with("GATEHOUSE_LOG_FORMAT", "json")
        .with("GATEHOUSE_DATABASE_URL", copy.url());
    let file = shell.path("backup.tar");
    let report = backup_of(&server, &file);
    assert!(report["rows"].as_u64() > Some(40_000), "{report}");

    let mut process = shell.spawn(&["restore", "backup.tar"]);
    eventually("rows are inserted", || {
        assert!(process.try_wait().unwrap().is_none(), "it is not that fast");
        is_inserting(&copy).then_some(())
    });
    process.kill().unwrap();
    process.wait().unwrap();
    eventually("the server has noticed", || {
        (!is_inserting(&copy)).then_some(())
    });
    assert_eq!(tables(&copy), 0);

    let report = shell.run(&["restore", "backup.tar", "--json"]).json();
    assert_eq!(report["database"], "PostgreSQL");
    shell.run(&["check"]).checked_output();
    let mut process = shell.spawn(&["serve", "--listen", "127.0.0.1:0"]);
    let caller = TestCaller::new(&url_of(&mut process), Some(server.text("/admin/token")));
    assert_eq!(caller.get("/oauth/discovery/keys").expect(200), keys);
    let user = caller.get("/api/v4/user").expect(200);
    assert_eq!(user["username"], server.text("/admin/username"));
    process.kill().unwrap();
    ending(process);
    let error_output = shell.run(&["restore", "backup.tar"]).error_message();
    assert!(
        error_output.contains("the database is not empty"),
        "{error_output}"
    );
}

/// Two concurrent backups would write to each other's file.
#[test]
fn a_second_concurrent_backup_to_a_file_is_refused() {
    let server = stopped("");
    let shell = TestShell::new();
    let data = server.data().display().to_string();
    let part = File::create(shell.path("backup.tar.part")).unwrap();
    part.lock().unwrap();
    let error_output = shell
        .run(&["backup", "backup.tar", "--data", &data])
        .error_message();
    assert!(
        error_output.contains("another backup to backup.tar"),
        "{error_output}"
    );
    assert!(shell.path("backup.tar.part").exists());
    drop(part);
    // A file left by an interrupted backup is overwritten, and readable only by its owner.
    shell
        .run(&["backup", "backup.tar", "--data", &data])
        .checked_output();
    let mode = fs::metadata(shell.path("backup.tar"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}
