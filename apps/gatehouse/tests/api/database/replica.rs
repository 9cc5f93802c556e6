//! Lists on a replica of PostgreSQL, which never lack what was answered before.

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection};
use serde_json::json;
use test_databases::ReplicatedPair;

use crate::support::{TestServer, eventually};

const METRICS: &str = "[metrics]\ntoken = \"a-token-of-the-metrics\"\n";

/// Rounds of a change and a list.
const ROUNDS: usize = 20;

fn start(pair: &ReplicatedPair) -> TestServer {
    let (url, read_url) = (pair.url(), pair.standby_url());
    TestServer::start_configured(&format!(
        "{METRICS}[database]\nurl = \"{url}\"\nread_url = \"{read_url}\"\n"
    ))
}

/// Creates a label, and demands that the next list has it.
fn create_and_list(server: &TestServer, name: &str) {
    let labels = server.below_project("/labels");
    let label = json!({ "name": name, "color": "#336699" });
    server.admin().post(&labels, &label).expect(201);
    let listed = server.admin().get(&format!("{labels}?per_page=100"));
    let listed = listed.expect(200).as_array().unwrap().clone();
    assert!(listed.iter().any(|label| label["name"] == name), "{name}");
}

/// Reads that the replica got so far.
fn reads(server: &TestServer) -> u64 {
    let reader = server
        .anonymous()
        .with("Authorization", "Bearer a-token-of-the-metrics");
    let text = reader.get("/-/metrics").expect_text(200);
    let prefix = "gatehouse_database_replica_reads_total ";
    let line = text.lines().find_map(|line| line.strip_prefix(prefix));
    line.unwrap().parse().unwrap()
}

fn wait_until_used(server: &TestServer) {
    eventually("the replica is used", || {
        let state = server.anonymous().get("/-/readiness?verbose").expect(200);
        let checks = state["checks"].as_array().unwrap();
        let used = json!({ "name": "replica", "status": "ok" });
        checks.contains(&used).then_some(())
    });
}

/// Waits until administrators see that the replica is not used, and why.
fn wait_until_unused(server: &TestServer, because: &str) {
    let mut administrator = server.signed_in("admin");
    eventually("the replica is not used", || {
        let shown = administrator.open("/admin/server").expect_text(200);
        shown.contains(because).then_some(())
    });
}

#[test]
fn lists_come_from_a_replica_that_has_all_earlier_changes() {
    let Some(pair) = ReplicatedPair::start() else {
        return;
    };
    let server = start(&pair);
    wait_until_used(&server);
    let before = reads(&server);
    for round in 0..ROUNDS {
        create_and_list(&server, &format!("round {round}"));
    }
    eventually("the replica answers", || {
        server.admin().get("/api/v4/projects").expect(200);
        (reads(&server) > before).then_some(())
    });

    // A replica that has not everything yet answers nothing.
    let mut standby = PgConnection::establish(&pair.standby_url()).unwrap();
    standby
        .batch_execute("SELECT pg_wal_replay_pause()")
        .unwrap();
    for round in 0..ROUNDS {
        create_and_list(&server, &format!("paused {round}"));
    }
    wait_until_unused(&server, "lacks recent changes");
    let before = reads(&server);
    create_and_list(&server, "behind");
    assert_eq!(reads(&server), before);
    standby
        .batch_execute("SELECT pg_wal_replay_resume()")
        .unwrap();
    wait_until_used(&server);
    create_and_list(&server, "resumed");

    // Nothing fails when it ends.
    drop(standby);
    pair.stop_standby();
    for round in 0..ROUNDS {
        create_and_list(&server, &format!("alone {round}"));
    }
    wait_until_unused(&server, "cannot be reached");
    create_and_list(&server, "still alone");
}
