//! `/-/health`, `/-/liveness` and `/-/readiness`.

use insta::assert_json_snapshot;

use crate::snapshot::{redacted, shown};
use crate::support::Server;

#[test]
fn health_needs_no_credentials_and_no_database() {
    let server = Server::start();
    let answer = server.anonymous().get("/-/health");
    let _redacted = redacted();
    assert_json_snapshot!(shown(&server, &answer), @r#"
    {
      "body": "Gatehouse OK",
      "headers": {
        "content-type": "text/plain; charset=utf-8",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

#[test]
fn liveness_is_json() {
    let server = Server::start();
    let answer = server.anonymous().get("/-/liveness");
    let _redacted = redacted();
    assert_json_snapshot!(shown(&server, &answer), @r#"
    {
      "body": {
        "status": "ok"
      },
      "headers": {
        "content-type": "application/json",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

#[test]
fn readiness_asks_the_database() {
    let server = Server::start();
    let answer = server.anonymous().get("/-/readiness");
    let _redacted = redacted();
    assert_json_snapshot!(shown(&server, &answer), @r#"
    {
      "body": {
        "db_check": [
          {
            "status": "ok"
          }
        ],
        "status": "ok"
      },
      "headers": {
        "content-type": "application/json",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

#[test]
fn health_asks_for_no_good_credentials_either() {
    let server = Server::start();
    let wrong = server.anonymous().with("PRIVATE-TOKEN", "wrong");
    for path in ["/-/health", "/-/liveness", "/-/readiness"] {
        wrong.get(path).assert_ok();
    }
}

/// API-09.
#[test]
fn health_is_read_only() {
    let server = Server::start();
    for path in ["/-/health", "/-/liveness", "/-/readiness"] {
        let answer = server.anonymous().send("POST", path, b"");
        assert_eq!(answer.status, 405, "{path}");
        assert_eq!(answer.header("allow"), Some("OPTIONS, GET, HEAD"), "{path}");
    }
}
