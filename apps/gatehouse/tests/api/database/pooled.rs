//! A server behind a pooler that uses another database connection for each transaction.

use std::process::Command;

use serde_json::json;
use test_databases::Bouncer;

use super::database;
use crate::support::TestServer;
use crate::support::server::program;

#[test]
fn a_server_behind_a_pooler_takes_alerts_and_is_checked() {
    let (Some(database), Some(bouncer)) = (database(), Bouncer::in_transaction_mode()) else {
        return;
    };
    let url = bouncer.url(&database);
    let server = TestServer::start_configured(&format!(
        "[database]\nurl = \"{url}\"\npooler = \"transaction\"\n"
    ));
    for number in 0..20 {
        let alert = json!({ "title": format!("Behind a pooler {number}") });
        server.sender().post(&server.generic(), &alert).assert_ok();
    }
    let newest = server.developer().get(&server.alerts()).list();
    assert_eq!(newest[0]["title"], "Behind a pooler 19");
    server.anonymous().get("/-/readiness").assert_ok();
    let checked = Command::new(program())
        .args(["check", "--database", &url, "--data"])
        .arg(server.data())
        .env("GATEHOUSE_DATABASE_POOLER", "transaction")
        .output()
        .unwrap();
    assert!(checked.status.success(), "{checked:?}");
    let alert = json!({ "title": "After the check" });
    server.sender().post(&server.generic(), &alert).assert_ok();
}

#[test]
fn migrate_reports_a_pooler_missing_from_the_configuration() {
    let (Some(database), Some(bouncer)) = (database(), Bouncer::in_transaction_mode()) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let url = bouncer.url(&database);
    // A single attempt may happen to get the connections on which its statements were prepared.
    let reported = (0..20).any(|_| {
        let migrated = Command::new(program())
            .args(["migrate", "--database", &url, "--data"])
            .arg(directory.path())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&migrated.stderr).into_owned();
        text.contains("set database.pooler = \"transaction\"")
    });
    assert!(reported);
}
