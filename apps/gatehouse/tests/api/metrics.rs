//! `/-/metrics`: see `docs/metrics.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::json;

use crate::database::database;
use crate::support::{TestCaller, TestServer, eventually};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";
const CONFIGURATION: &str = "[metrics]\ntoken = \"0123456789abcdef0123456789abcdef\"\n";

/// Samples of a response, by their names and labels.
fn samples(caller: &TestCaller) -> BTreeMap<String, f64> {
    let answer = caller.get("/-/metrics");
    let media_type = answer.header("content-type");
    assert_eq!(media_type, Some("text/plain; version=0.0.4"));
    let text = answer.expect_text(200);
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

fn reader(server: &TestServer) -> TestCaller {
    server
        .anonymous()
        .with("Authorization", &format!("Bearer {TOKEN}"))
}

#[test]
fn metrics_are_for_the_configured_token_alone() {
    let server = TestServer::start();
    for caller in [server.anonymous(), server.admin(), reader(&server)] {
        caller.get("/-/metrics").expect(404);
    }
    let server = TestServer::start_configured(CONFIGURATION);
    let wrong = format!("Bearer {TOKEN}0");
    for caller in [
        server.anonymous(),
        server.admin(),
        server.anonymous().with("Authorization", &wrong),
    ] {
        caller.get("/-/metrics").expect(401);
    }
    assert!(!samples(&reader(&server)).is_empty());
    // The token opens nothing else.
    reader(&server).get("/api/v4/user").expect(401);
}

#[test]
fn every_metric_is_documented_and_every_documented_metric_exists() {
    let files = tempfile::tempdir().unwrap();
    let directory = files.path().display();
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(files.path().join("chain.pem"), made.cert.pem()).unwrap();
    std::fs::write(
        files.path().join("key.pem"),
        made.signing_key.serialize_pem(),
    )
    .unwrap();
    let configuration = format!(
        "{CONFIGURATION}[backup]\ndirectory = \"{directory}\"\n\
         [server]\ntls_certificate_file = \"{directory}/chain.pem\"\ntls_key_file = \"{directory}/key.pem\"\n"
    );
    let server = TestServer::start_configured(&configuration);
    server.anonymous().get("/api/v4/user").expect(401);
    let reader = reader(&server);
    // The first backup ends a while after the start.
    let text = eventually("a job has run, and a backup is written", || {
        let text = reader.get("/-/metrics").expect_text(200);
        let is_complete = text.contains("job_last_success") && text.contains("backup_size");
        is_complete.then_some(text)
    });
    let mut existing = names(&text);
    existing.extend(names_on_postgres(files.path()));
    let page = include_str!("../../../../docs/metrics.md");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let documented = rows.filter_map(|row| row.split('`').next());
    let documented: BTreeSet<String> = documented.map(ToOwned::to_owned).collect();
    assert_eq!(existing, documented);
}

/// Names of the described metrics.
fn names(text: &str) -> BTreeSet<String> {
    let described = text.lines().filter_map(|line| line.strip_prefix("# HELP "));
    let names = described.filter_map(|line| line.split(' ').next());
    names.map(ToOwned::to_owned).collect()
}

/// Names of the metrics of a server on PostgreSQL, whose page shows what they are about. Without PostgreSQL the names that only
/// it has.
fn names_on_postgres(directory: &Path) -> BTreeSet<String> {
    const SKEW: &str = "gatehouse_database_clock_skew_seconds";
    const REPLICA: [&str; 2] = [
        "gatehouse_database_replica_used",
        "gatehouse_database_replica_reads_total",
    ];
    let Some(database) = database() else {
        let only_there = [SKEW].into_iter().chain(REPLICA);
        return only_there.map(str::to_owned).collect();
    };
    let file = directory.join("postgres.toml");
    // The database is no replica of itself.
    let configuration = format!(
        "{CONFIGURATION}[database]\nread_url = \"{}\"\n",
        database.url()
    );
    std::fs::write(&file, configuration).unwrap();
    let flags = [
        "--database",
        database.url(),
        "--config",
        file.to_str().unwrap(),
    ];
    let server = TestServer::start_with(&flags);
    let reader = reader(&server);
    let text = eventually("the clocks are compared", || {
        let text = reader.get("/-/metrics").expect_text(200);
        text.contains(SKEW).then_some(text)
    });
    let shown = server
        .signed_in("admin")
        .open("/admin/server")
        .expect_text(200);
    assert!(
        shown.contains("compared with the database server"),
        "{shown}"
    );
    let state = server.anonymous().get("/-/readiness?verbose").expect(200);
    let checks = state["checks"].as_array().unwrap();
    let of_clock = json!({ "name": "clock", "status": "ok" });
    assert!(checks.contains(&of_clock), "{state}");
    assert!(text.contains("gatehouse_database_replica_used 0"), "{text}");
    eventually("the URL of the replica is refused", || {
        let shown = server.signed_in("admin").open("/admin/server");
        let shown = shown.expect_text(200);
        shown
            .contains("is no replica of the database")
            .then_some(())
    });
    names(&text)
}

#[test]
fn events_are_counted() {
    let server = TestServer::start_configured(CONFIGURATION);
    let reader = reader(&server);
    let before = samples(&reader);
    let sender = server.sender();
    let alert = json!({ "title": "Disk full" });
    sender.post(&server.generic(), &alert).expect(200);
    sender.post(&server.generic(), &json!([])).expect(400);
    server.anonymous().get("/api/v4/user").expect(401);
    // Reads that check permissions are not counted, and those of lists are.
    server.admin().get("/api/v4/projects").expect(200);
    let after = samples(&reader);
    let of = |samples: &BTreeMap<String, f64>, name: &str| samples.get(name).copied();
    for (name, increase) in [
        ("gatehouse_alert_deliveries_total{result=\"stored\"}", 1.0),
        ("gatehouse_alert_deliveries_total{result=\"refused\"}", 1.0),
        ("gatehouse_alerts_received_total{result=\"stored\"}", 1.0),
        (
            "gatehouse_http_requests_total{operation=\"receiveAlerts\",status=\"200\"}",
            1.0,
        ),
        (
            "gatehouse_http_request_duration_seconds_count{operation=\"receiveAlerts\"}",
            2.0,
        ),
    ] {
        let increased = of(&after, name).unwrap() - of(&before, name).unwrap_or_default();
        assert!((increased - increase).abs() < 1e-9, "{name}: {increased}");
    }
    for name in [
        "gatehouse_database_writes_total",
        "gatehouse_database_commits_total",
        "gatehouse_database_write_duration_seconds_count",
        "gatehouse_database_read_duration_seconds_sum",
    ] {
        assert!(of(&after, name) > of(&before, name), "{name}");
    }
}

/// A stranger must not make the server keep a series for each request.
#[test]
fn unknown_paths_add_no_series() {
    let server = TestServer::start_configured(CONFIGURATION);
    let reader = reader(&server);
    let stranger = server.anonymous();
    let visit = |number: usize| {
        stranger.get(&format!("/stranger/{number}"));
        stranger.get(&format!("/api/v4/stranger/{number}?private_token={number}"));
        stranger.delete(&format!("/{number}"));
    };
    visit(0);
    let series = || -> Vec<String> {
        let names = samples(&reader).into_keys();
        names.filter(|name| name.contains("_http_")).collect()
    };
    series();
    let before = series();
    (1..40).for_each(visit);
    assert_eq!(before, series());
}
