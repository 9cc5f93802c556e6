//! Upgrades of databases from released versions.
//!
//! For each release, `golden` has a backup of a server with resources of all kinds, and responses of the release to
//! requests for them. A restore creates the tables of the release, inserts the rows and migrates them. Afterwards
//! every response must have the same values, on both databases. `UPDATE_GOLDEN=1` records the version of the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_databases::TestDatabase;

use crate::fields::live_responses;
use crate::support::server::{command, program};
use crate::support::{TestCaller, TestServer, terminate};

/// Releases with recorded data.
const RELEASES: [&str; 1] = ["0.1.0"];

/// Passphrase of the secret keys in the backups.
const PASSPHRASE: &str = "recorded for upgrades\n";

/// Values that depend on the time of the request or on earlier ones.
const VOLATILE: [&str; 6] = [
    "alert_status",
    "disabled_until",
    "last_activity_at",
    "last_activity_on",
    "last_used_at",
    "local_time",
];

/// Paths of resources of the demo, in addition to those that the test of fields requests.
const FURTHER_PATHS: [&str; 4] = [
    "/api/v4/projects/1/alert_management_alerts",
    "/api/v4/projects/1/alert_management_alerts/1",
    "/api/v4/projects/1/alert_management/integrations",
    "/api/v4/applications",
];

/// Nothing that was recorded expires.
const CONFIGURATION: &str = "[server]\nlisten = \"127.0.0.1:0\"\nexternal_url = \"http://gatehouse.example.com\"\n\
    [alerts]\nretention_days = 0\nreceipt_retention_days = 0\n";

fn golden(name: &str) -> PathBuf {
    // Cargo runs tests in the directory of their package.
    let package = std::env::current_dir().unwrap();
    package.join("tests/api/golden").join(name)
}

/// Server on restored data. It is stopped when dropped.
struct RestoredServer {
    process: Child,
    caller: TestCaller,
    _directory: TempDir,
}

impl RestoredServer {
    /// Restores the backup of a release and starts a server on it, on SQLite or the given PostgreSQL database.
    fn start(release: &str, database: Option<&TestDatabase>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name).display().to_string();
        let url = database.map(|database| format!("[database]\nurl = \"{}\"\n", database.url()));
        let configuration = format!("{CONFIGURATION}{}", url.unwrap_or_default());
        fs::write(path("gatehouse.toml"), configuration).unwrap();
        fs::write(path("passphrase"), PASSPHRASE).unwrap();
        let data = directory.path().join("data");
        let backup = golden(&format!("{release}.tar")).display().to_string();
        let (configuration, passphrase) = (path("gatehouse.toml"), path("passphrase"));
        let flags = ["--config", &configuration];
        let run = |arguments: &[&str]| {
            let output = command(&data, &[arguments, &flags].concat(), "");
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{arguments:?}: {error}");
            output.stdout
        };
        run(&["restore", &backup, "--passphrase-file", &passphrase]);
        run(&["check"]);
        let token = run(&[
            "token", "create", "--user", "root", "--scopes", "api", "--json",
        ]);
        let token: Value = serde_json::from_slice(&token).unwrap();
        let (process, address) = serve(&data, &flags);
        Self {
            process,
            caller: TestCaller::new(&format!("http://{address}"), token["token"].as_str()),
            _directory: directory,
        }
    }

    /// Responses to requests for these paths, without volatile values.
    fn responses(&self, paths: impl Iterator<Item = String>) -> BTreeMap<String, Value> {
        let response = |path: String| {
            let mut body = self.caller.get(&path).expect(200).clone();
            remove_volatile(&mut body);
            (path, body)
        };
        paths.map(response).collect()
    }
}

impl Drop for RestoredServer {
    fn drop(&mut self) {
        terminate(self.process.id());
        let _ = self.process.wait();
    }
}

/// Starts a server, and returns its address.
fn serve(data: &Path, flags: &[&str]) -> (Child, String) {
    let mut process = Command::new(program())
        .args(["serve", "--data"])
        .arg(data)
        .args(flags)
        .env("GATEHOUSE_LOG_FORMAT", "json")
        .env("GATEHOUSE_LIMITS_ENABLED", "false")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.as_mut().unwrap()).lines();
    let address = lines.find_map(|line| {
        let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
        line["server.addresses"].as_str().map(str::to_owned)
    });
    (process, address.unwrap())
}

fn remove_volatile(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !VOLATILE.contains(&name.as_str()));
            fields.values_mut().for_each(remove_volatile);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_volatile),
        _ => {}
    }
}

/// Lists the recorded values that a response does not have. It may have further fields.
fn differences(at: &str, recorded: &Value, found: &Value, faults: &mut Vec<String>) {
    match (recorded, found) {
        (Value::Object(fields), Value::Object(_)) => {
            for (name, value) in fields {
                differences(&format!("{at}.{name}"), value, &found[name], faults);
            }
        }
        (Value::Array(items), Value::Array(others)) if items.len() == others.len() => {
            for (place, (item, other)) in items.iter().zip(others).enumerate() {
                differences(&format!("{at}[{place}]"), item, other, faults);
            }
        }
        _ if recorded == found => {}
        _ => faults.push(format!("{at}: {recorded} became {found}")),
    }
}

/// A new version needs data of its own, which this test records if a developer requests it.
#[test]
#[expect(clippy::disallowed_methods, reason = "a developer asks for it")]
fn the_data_of_the_current_version_is_recorded() {
    let release = env!("CARGO_PKG_VERSION");
    assert!(RELEASES.contains(&release), "record {release}, and add it");
    if std::env::var_os("UPDATE_GOLDEN").is_none() {
        return;
    }
    let mut server = TestServer::start_fresh();
    let responses = live_responses(&server);
    server.stop();
    let passphrase = server.data().join("passphrase");
    fs::write(&passphrase, PASSPHRASE).unwrap();
    let (file, passphrase) = (
        golden(&format!("{release}.tar")),
        passphrase.display().to_string(),
    );
    let _ = fs::remove_file(&file);
    let file = file.display().to_string();
    server.command_json(&["backup", &file, "--passphrase-file", &passphrase, "--json"]);
    let paths = responses.iter().filter_map(|(_, from, _)| {
        let path = from.strip_prefix("GET /")?.split('[').next()?;
        Some(format!("/{path}"))
    });
    let restored = RestoredServer::start(release, None);
    let paths = paths.chain(FURTHER_PATHS.map(str::to_owned));
    let is_of_release = |path: &String| path.ends_with("/metadata") || path.ends_with("/version");
    // Some responses are of other requests, and some resources were deleted again.
    let exists = |path: &String| !path.contains(' ') && restored.caller.get(path).status == 200;
    let paths = paths.filter(|path| !is_of_release(path) && exists(path));
    let recorded = restored.responses(paths);
    let text = serde_json::to_string_pretty(&json!(recorded)).unwrap();
    fs::write(golden(&format!("{release}.json")), format!("{text}\n")).unwrap();
}

fn check(database: Option<&TestDatabase>) {
    for release in RELEASES {
        let recorded = fs::read_to_string(golden(&format!("{release}.json"))).unwrap();
        let recorded: BTreeMap<String, Value> = serde_json::from_str(&recorded).unwrap();
        assert!(
            recorded.len() > 30,
            "{release} has {} responses",
            recorded.len()
        );
        let server = RestoredServer::start(release, database);
        let found = server.responses(recorded.keys().cloned());
        let mut faults = Vec::new();
        for (path, body) in &recorded {
            differences(path, body, &found[path], &mut faults);
        }
        assert!(faults.is_empty(), "{release}:\n{}", faults.join("\n"));
    }
}

#[test]
fn data_of_every_release_is_upgraded() {
    check(None);
}

#[test]
fn data_of_every_release_is_upgraded_on_postgresql() {
    if let Some(database) = TestDatabase::empty() {
        check(Some(&database));
    }
}
