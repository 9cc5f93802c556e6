//! What is logged, and what never is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::wire::Wire;
use crate::support::{Caller, Server, eventually};

/// Sends every kind of secret in every place that it may be sent in, good ones and wrong ones, and gives them.
fn send_secrets(server: &Server) -> Vec<String> {
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
        Caller::new(server.base_url(), Some(secret)).get("/api/v4/user");
        Caller::bearer(server.base_url(), secret).get("/api/v4/projects");
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
        wire.ending();
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

/// Not even whoever looks for a fault with everything switched on finds a secret.
#[test]
fn no_level_logs_a_secret_or_a_query() {
    for level in ["info", "debug", "trace"] {
        let server = Server::start_logged(&format!("[log]\nlevel = \"{level}\"\n"));
        let secrets = send_secrets(&server);
        let log = server.log();
        assert!(log.contains("ready"), "{level}");
        assert_eq!(log.contains("request answered"), level != "info", "{level}");
        assert_keeps(&log, &secrets);
    }
}

/// Lines for machines: each one is a JSON object with the same names.
#[test]
fn every_line_is_json_when_so_configured() {
    let mut server = Server::start_logged("[log]\nlevel = \"debug\"\nformat = \"json\"\n");
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

/// Faults of clients are no faults of ours: a log at its usual level stays quiet about them.
#[test]
fn refusals_of_clients_are_not_logged_as_errors() {
    let server = Server::start_logged("[log]\nlevel = \"info\"\n");
    server.anonymous().get("/api/v4/user");
    server.anonymous().get("/nowhere");
    server.sender().post_bytes(&server.generic(), b"{");
    server.developer().get("/api/v4/projects?page=x");
    send_no_http(&server);
    let log = server.log();
    assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
}

/// Sends bytes that are no request, as scanners and TLS clients do, and waits for the end of each connection.
fn send_no_http(server: &Server) {
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(200_000));
    for bytes in [
        &b"\x16\x03\x01\x02\x00\x01\xfc\r\n\r\n"[..],
        b"no request\r\n\r\n",
        long.as_bytes(),
    ] {
        let mut wire = Wire::open(server);
        wire.send(bytes);
        wire.ending();
    }
}

/// Whoever looks for the fault of a client finds why it was refused.
#[test]
fn what_is_no_request_is_logged_for_whoever_asks() {
    let server = Server::start_logged("[log]\nlevel = \"info,gatehouse=debug\"\n");
    send_no_http(&server);
    let log = server.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("what came is no request"));
    assert_eq!(lines.count(), 3, "{log}");
    assert!(log.contains("414 URI Too Long"), "{log}");
}

/// The address of the database is logged without its password.
#[test]
fn the_place_of_the_database_is_logged() {
    let server = Server::start_logged("[log]\nlevel = \"info\"\nformat = \"json\"\n");
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
