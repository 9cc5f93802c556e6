//! `/-/health`, `/-/liveness` and `/-/readiness`.

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};
use insta::assert_json_snapshot;
use serde_json::json;

use crate::snapshot::{redacted, snapshot_of};
use crate::support::rows::change;
use crate::support::{TestServer, eventually};

#[test]
fn health_needs_no_credentials_and_no_database() {
    let server = TestServer::start();
    let answer = server.anonymous().get("/-/health");
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
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
    let server = TestServer::start();
    let answer = server.anonymous().get("/-/liveness");
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
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
fn readiness_checks_the_database() {
    let server = TestServer::start();
    let answer = server.anonymous().get("/-/readiness");
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
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
fn health_endpoints_ignore_invalid_credentials() {
    let server = TestServer::start();
    let wrong = server.anonymous().with("PRIVATE-TOKEN", "wrong");
    for path in ["/-/health", "/-/liveness", "/-/readiness"] {
        wrong.get(path).assert_ok();
    }
}

fn readiness_becomes(server: &TestServer, status: u16) {
    eventually(&format!("readiness is {status}"), || {
        let answer = server.anonymous().get("/-/readiness");
        (answer.status == status).then_some(())
    });
}

/// A process continues to write to a deleted file, which is then lost.
#[test]
fn a_database_file_that_was_moved_away_ends_readiness_and_intake() {
    let server = TestServer::start();
    let (file, aside) = (
        server.data().join("gatehouse.sqlite3"),
        server.data().join("aside"),
    );
    readiness_becomes(&server, 200);
    std::fs::rename(&file, &aside).unwrap();
    readiness_becomes(&server, 503);
    let raise = |title: &str| {
        let alert = serde_json::json!({ "title": title });
        server.sender().post(&server.generic(), &alert)
    };
    let refused = raise("lost");
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    std::fs::rename(&aside, &file).unwrap();
    readiness_becomes(&server, 200);
    assert_eq!(raise("kept").status, 200);
}

/// A long read of another process keeps the journal from being truncated: health reports it before anything is refused,
/// and recovers with the end of the read.
#[test]
fn an_oversized_journal_is_reported_and_refuses_alerts_until_truncated() {
    let server = TestServer::start_logged("[database]\njournal_limit_bytes = 2097152\n");
    let file = server.data().join("gatehouse.sqlite3");
    let mut reader = SqliteConnection::establish(&file.display().to_string()).unwrap();
    reader
        .batch_execute("BEGIN; SELECT count(*) FROM users")
        .unwrap();
    let raise = || {
        let alert = json!({ "title": "Filler", "filler": "x".repeat(50_000) });
        server.sender().post(&server.generic(), &alert)
    };
    let readiness = || server.anonymous().get("/-/readiness").json();
    let reported = eventually("readiness tells of the journal", || {
        raise();
        let reported = readiness()["journal_check"][0].clone();
        (!reported.is_null()).then_some(reported)
    });
    assert_eq!(
        (&reported["status"], &reported["limit"]),
        (&json!("failed"), &json!(2_097_152))
    );
    let refused = eventually("intake refuses", || {
        Some(raise()).filter(|answer| answer.status != 200)
    });
    assert_eq!(
        (refused.status, refused.header("retry-after")),
        (503, Some("1"))
    );
    assert!(server.log().contains("exceeds its limit"));
    reader.batch_execute("COMMIT").unwrap();
    eventually("the journal is within its bound", || {
        readiness()["journal_check"].is_null().then_some(())
    });
    eventually("intake goes on", || {
        Some(()).filter(|()| raise().status == 200)
    });
}

#[test]
fn a_pending_or_an_unknown_migration_ends_readiness() {
    let server = TestServer::start();
    readiness_becomes(&server, 200);
    let table = "__diesel_schema_migrations";
    change(
        &server,
        &format!("INSERT INTO {table} (version) VALUES ('99999999999999')"),
    );
    readiness_becomes(&server, 503);
    change(
        &server,
        &format!("DELETE FROM {table} WHERE version = '99999999999999'"),
    );
    readiness_becomes(&server, 200);
    change(
        &server,
        &format!("DELETE FROM {table} WHERE version LIKE '%11'"),
    );
    readiness_becomes(&server, 503);
}

#[test]
fn a_missing_table_ends_readiness() {
    let server = TestServer::start();
    readiness_becomes(&server, 200);
    change(&server, "ALTER TABLE auth_epoch RENAME TO elsewhere");
    readiness_becomes(&server, 503);
}
