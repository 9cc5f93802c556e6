//! Headers of every answer.

use std::collections::HashSet;

use crate::support::{Answer, Server};

/// One answer of every kind: good ones, refusals of all layers, and those without a body.
fn all_kinds(server: &Server) -> Vec<Answer> {
    let dev = server.developer();
    let long = format!("/api/v4/user?x={}", "x".repeat(20_000));
    vec![
        dev.get("/api/v4/user"),
        dev.get(&server.alerts()),
        dev.send("HEAD", "/api/v4/user", b""),
        dev.send("OPTIONS", "/api/v4/user", b""),
        dev.send("PATCH", "/api/v4/user", b""),
        dev.get("/nowhere"),
        dev.get("/api/v4/projects/nothing"),
        dev.get("/api/v4/projects?page=x"),
        dev.get(&long),
        server.anonymous().get("/api/v4/user"),
        server.anonymous().get("/-/health"),
        server.sender().post_bytes(&server.generic(), b"{"),
        server.sender().post_bytes(&server.generic(), b"{}"),
    ]
}

#[test]
fn every_answer_has_a_request_id_of_its_own() {
    let server = Server::start();
    let answers = all_kinds(&server);
    let ids: HashSet<&str> = answers
        .iter()
        .map(|answer| answer.header("x-request-id").unwrap())
        .collect();
    assert_eq!(ids.len(), answers.len());
    for id in ids {
        let hex = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(id.len() == 32 && hex, "{id}");
    }
}

#[test]
fn every_answer_tells_how_long_it_took_and_forbids_guessing_and_framing() {
    let server = Server::start();
    for answer in all_kinds(&server) {
        let runtime = answer.header("x-runtime").unwrap();
        let (seconds, micros) = runtime.split_once('.').unwrap();
        assert!(
            seconds.parse::<u32>().is_ok() && micros.len() == 6,
            "{runtime}"
        );
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("x-frame-options"), Some("SAMEORIGIN"));
        assert_eq!(answer.header("vary"), Some("Origin"));
    }
}

/// API-01. Clients that know one content type only take it without parameters.
#[test]
fn every_body_of_the_api_is_json() {
    let server = Server::start();
    for answer in all_kinds(&server) {
        if !answer.body.is_empty() && answer.text() != "Gatehouse OK" {
            assert_eq!(
                answer.header("content-type"),
                Some("application/json"),
                "{answer:?}"
            );
            answer.json();
        }
    }
}
