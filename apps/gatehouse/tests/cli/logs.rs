//! Contents of the log, and data that is never logged.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::rows::HeldWriter;
use crate::support::wire::Wire;
use crate::support::{TestCaller, TestServer, eventually};

/// Sends every kind of secret in every possible place, valid and invalid ones, and returns them.
fn send_secrets(server: &TestServer) -> Vec<String> {
    let token = server.text("/developer/token").to_owned();
    let key = server.text("/alerts/key").to_owned();
    let wrong = "wr0ng-t0ken".to_owned();
    let anonymous = server.anonymous();
    for secret in [&token, &key, &wrong] {
        for name in ["private_token", "access_token", "key", "password"] {
            anonymous.get(&format!("/api/v4/user?{name}={secret}"));
            anonymous.get(&format!("/nowhere/at/all?{name}={secret}"));
        }
        anonymous.get(&format!("/nowhere/{secret}"));
        anonymous.get(&format!("/api/v4/projects/{secret}"));
        TestCaller::new(server.base_url(), Some(secret)).get("/api/v4/user");
        TestCaller::bearer(server.base_url(), secret).get("/api/v4/projects");
        let pair = STANDARD.encode(format!(":{secret}"));
        let basic = anonymous
            .clone()
            .with("Authorization", &format!("Basic {pair}"));
        for path in [server.generic(), server.metrics()] {
            basic.post(&path, &json!({ "title": "By password" }));
            let path = format!("{path}?authorization_key={secret}");
            anonymous.post(&path, &json!({ "title": "By query" }));
        }
        let mut wire = Wire::open(server);
        wire.send_head("GET /bad request", &[("PRIVATE-TOKEN", secret)]);
        wire.final_response();
    }
    let search = "n33dle-in-a-query".to_owned();
    let path = format!("{}?search={search}&page=x", server.alerts());
    server.developer().get(&path);
    let passwords = [
        "/admin/password",
        "/developer/password",
        "/reporter/password",
    ];
    let passwords = passwords.map(|pointer| server.text(pointer).to_owned());
    let others = [
        server.text("/admin/token").to_owned(),
        search,
        token,
        key,
        wrong,
    ];
    others.into_iter().chain(passwords).collect()
}

fn assert_keeps(log: &str, secrets: &[String]) {
    for secret in secrets {
        let line = log.lines().find(|line| line.contains(secret.as_str()));
        assert_eq!(line, None, "the log tells a secret");
        let encoded = STANDARD.encode(format!(":{secret}"));
        assert!(!log.contains(&encoded), "the log tells a header");
    }
}

/// No level logs a secret, not even the most detailed one.
#[test]
fn no_level_logs_a_secret_or_a_query() {
    for level in ["info", "debug", "trace"] {
        let mut server = TestServer::start_logged(&format!("[log]\nlevel = \"{level}\"\n"));
        let secrets = send_secrets(&server);
        assert!(server.stop().success());
        let log = server.log();
        assert!(log.contains("ready"), "{level}");
        assert_eq!(log.contains("request handled"), level != "info", "{level}");
        assert_keeps(&log, &secrets);
    }
}

/// Lines for machines: each is a JSON object with the same keys.
#[test]
fn every_line_is_json_when_so_configured() {
    let mut server = TestServer::start_logged("[log]\nlevel = \"debug\"\nformat = \"json\"\n");
    let secrets = send_secrets(&server);
    let id = server.developer().get("/api/v4/user");
    let id = id.header("x-request-id").unwrap().to_owned();
    assert!(server.stop().success());
    let log = server.log();
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    for line in &lines {
        for name in ["timestamp", "level", "target", "message"] {
            assert!(line[name].is_string(), "{name}: {line}");
        }
    }
    let answered = lines.iter().find(|line| line["request.id"] == id.as_str());
    let answered = answered.unwrap();
    assert_eq!(answered["request.method"], "GET");
    assert_eq!(answered["response.status"], 200);
    assert!(answered["duration_ms"].is_number());
    let messages: Vec<&Value> = lines.iter().map(|line| &line["message"]).collect();
    assert!(messages.contains(&&json!("ready")) && messages.contains(&&json!("stopped")));
    assert_keeps(&log, &secrets);
}

/// Mistakes of clients are not server errors: at its usual level the log does not mention them.
#[test]
fn refusals_of_clients_are_not_logged_as_errors() {
    let server = TestServer::start_logged("[log]\nlevel = \"info\"\n");
    server.anonymous().get("/api/v4/user");
    server.anonymous().get("/nowhere");
    server.sender().post_bytes(&server.generic(), b"{");
    server.developer().get("/api/v4/projects?page=x");
    send_no_http(&server);
    let log = server.log();
    assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
}

/// While the database is unavailable every write fails for the same reason: the first failure is logged, and the others
/// are summarized in one line with their number.
#[test]
fn failures_of_one_cause_are_summed_up() {
    const FAILURES: u64 = 40;
    let mut server = TestServer::start_logged("[log]\nlevel = \"info\"\nformat = \"json\"\n");
    // From here on the sender's key is cached, so only writes fail.
    let sender = server.sender();
    let before = json!({ "title": "Before" });
    sender.post(&server.generic(), &before).expect(200);
    for suffix in ["", "-wal", "-shm"] {
        let file = format!("gatehouse.sqlite3{suffix}");
        std::fs::remove_file(server.data().join(file)).unwrap();
    }
    for number in 0..FAILURES {
        let alert = json!({ "title": format!("Disk {number}") });
        sender.post(&server.generic(), &alert).expect(503);
    }
    server.stop();
    let log = server.log();
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    let mut lines: Vec<Value> = lines.collect();
    let is_told = |line: &Value| line["message"].as_str().unwrap().contains("not committed");
    lines.retain(is_told);
    assert!(lines.len() <= 3, "{lines:#?}");
    // A background job that writes may fail as well.
    let more = lines.iter().map(|line| line["repeated.count"].as_u64());
    let counted = 1 + more.map(Option::unwrap_or_default).sum::<u64>();
    assert!((FAILURES..FAILURES + 10).contains(&counted), "{lines:#?}");
}

/// Sends bytes that are not HTTP, as scanners and TLS clients do, and waits for the end of each connection.
fn send_no_http(server: &TestServer) {
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200_000));
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n"[..],
        b"no request\r\n\r\n",
        long.as_bytes(),
    ] {
        let mut wire = Wire::open(server);
        wire.send(bytes);
        wire.final_response();
    }
}

/// An operator who debugs a client can find the reason for its refusal.
#[test]
fn malformed_requests_are_logged_at_debug_level() {
    let server = TestServer::start_logged("[log]\nlevel = \"info,gatehouse=debug\"\n");
    send_no_http(&server);
    let log = server.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("no valid request received"));
    assert_eq!(lines.count(), 3, "{log}");
    assert!(log.contains("414 URI Too Long"), "{log}");
}

/// The lines of a log in JSON that have a message.
fn lines_with(log: &str, message: &str) -> Vec<Value> {
    let lines = log.lines().map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &Value| line["message"] == message)
        .collect()
}

/// Total number of refusals in all summaries.
fn reported(summaries: &[Value]) -> u64 {
    let counts = summaries.iter().map(|line| &line["refused.count"]);
    counts.map(|count| count.as_u64().unwrap()).sum()
}

/// An ongoing attack is visible in the log, and does not flood it.
#[test]
fn refusals_are_logged_by_their_rate() {
    let mut server = TestServer::start_logged("[log]\nlevel = \"info\"\nformat = \"json\"\n");
    let thief = TestCaller::new(server.base_url(), Some("wr0ng-t0ken"));
    let path = "/api/v4/user?private_token=wr0ng-too";
    for _ in 0..300 {
        assert_eq!(thief.get(path).status, 401);
    }
    // These paths could be pages of projects, so the router of those pages handles them and finds none.
    server.anonymous().get("/nowhere/s3cret");
    server.anonymous().get("/nowhere/else");
    send_no_http(&server);
    let summary = eventually("the refusals are told", || {
        lines_with(&server.log(), "requests refused").pop()
    });
    assert_eq!(summary["level"], "INFO");
    assert_eq!(summary["client.address"], "127.0.0.1");
    assert!(server.stop().success());
    let log = server.log();
    let first = lines_with(&log, "request refused (further ones are counted)");
    let kind = |line: &Value| {
        let status = line["response.status"].as_u64().unwrap();
        (status, line["request.route"].as_str().unwrap().to_owned())
    };
    let kinds: Vec<_> = first.iter().map(kind).collect();
    assert_eq!(
        kinds,
        [
            (401, "/api/v4/user".to_owned()),
            (404, "/{project}/-".to_owned())
        ]
    );
    let connections = lines_with(&log, "connection refused (further ones are counted)");
    let statuses: Vec<_> = connections
        .iter()
        .map(|line| line["response.status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [400, 414]);
    let summaries = lines_with(&log, "requests refused");
    let sum = reported(&summaries);
    let firsts = (first.len() + connections.len()) as u64;
    assert!(sum <= 305 && sum + firsts >= 305, "{summaries:#?}");
    assert!(log.lines().count() < 40, "{log}");
    for secret in ["wr0ng", "s3cret", "nowhere", "private_token"] {
        assert!(!log.contains(secret), "{log}");
    }
}

/// A client that reads no responses, and one that sends nothing, are counted like those that get a response.
#[test]
fn connections_that_are_cut_are_counted() {
    let settings = "[server]\nwrite_timeout_seconds = 1\nheader_timeout_seconds = 1\n\
                    [log]\nformat = \"json\"\n";
    let mut server = TestServer::start_logged(settings);
    for _ in 0..2 {
        assert!(Wire::open(&server).final_response().is_none());
    }
    let page = "GET /users/sign_in HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n";
    let mut wires = [Wire::open(&server), Wire::open(&server)];
    for wire in &mut wires {
        wire.send_as_far_as_it_goes(page.repeat(5_000).as_bytes());
    }
    eventually("they are cut", || {
        wires.iter_mut().all(Wire::was_reset).then_some(())
    });
    assert!(server.stop().success());
    let log = server.log();
    let first = lines_with(&log, "connection refused (further ones are counted)");
    let reasons: Vec<&Value> = first.iter().map(|line| &line["reason"]).collect();
    assert_eq!(reasons, ["no data received", "response not read"]);
    let kinds = lines_with(&log, "requests refused");
    let kinds: Vec<&str> = kinds
        .iter()
        .map(|line| line["refused.kinds"].as_str().unwrap())
        .collect();
    let kinds = kinds.join(", ");
    for kind in [
        "closed connection (no data received)",
        "closed connection (response not read)",
    ] {
        assert!(kinds.contains(kind), "{kinds}");
    }
}

/// A server problem is a warning with its cause, once for each reason, however many requests are refused.
#[test]
fn unserved_requests_are_logged_as_a_warning_with_the_cause() {
    let settings = "[database]\nwrite_timeout_seconds = 1\n[log]\nformat = \"json\"\n";
    let mut server = TestServer::start_logged(settings);
    let writer = HeldWriter::at(&server);
    for _ in 0..4 {
        let answer = server
            .sender()
            .post(&server.generic(), &json!({ "title": "x" }));
        assert_eq!(answer.status, 503);
    }
    drop(writer);
    assert!(server.stop().success());
    let log = server.log();
    let first = lines_with(&log, "request not served (further ones are counted)");
    // A write may wait too long for the writer thread, or the writer thread for the file.
    let reasons: BTreeSet<&str> = first
        .iter()
        .map(|line| line["reason"].as_str().unwrap())
        .collect();
    assert_eq!(reasons.len(), first.len(), "{log}");
    for line in &first {
        assert_eq!(line["level"], "WARN");
        assert!(
            line["error"].as_str().unwrap().contains("the store"),
            "{line}"
        );
        assert!(
            line["reason"].as_str().unwrap().starts_with("store "),
            "{line}"
        );
    }
    let summaries = lines_with(&log, "requests refused");
    assert!(
        summaries.iter().all(|line| line["level"] == "WARN"),
        "{log}"
    );
    let reported = reported(&summaries);
    assert!(reported <= 4 && reported + first.len() as u64 >= 4, "{log}");
}

/// The database URL is logged without its password.
#[test]
fn the_place_of_the_database_is_logged() {
    let server = TestServer::start_logged("[log]\nlevel = \"info\"\nformat = \"json\"\n");
    let ready = eventually("the server is ready", || {
        let log = server.log();
        let mut lines = log
            .lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.find(|line| line["message"] == "ready")
    });
    let place = ready["database"].as_str().unwrap();
    assert!(
        place.starts_with("sqlite:") && place.ends_with("gatehouse.sqlite3"),
        "{place}"
    );
    assert_eq!(ready["server.url"], server.base_url());
}
