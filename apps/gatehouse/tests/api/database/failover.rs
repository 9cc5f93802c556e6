//! A failover of PostgreSQL under load.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use diesel::sql_types::Text;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use serde_json::json;
use test_databases::ReplicatedPair;

use crate::support::{TestCaller, TestServer, eventually};

/// Alerts that are stored before the primary crashes, and again afterwards.
const ENOUGH: usize = 100;

/// Posts alerts until the end, and returns the numbers of those that were acknowledged.
fn post_until(sender: &TestCaller, path: &str, ended: &AtomicBool, first: usize) -> Vec<usize> {
    let mut acknowledged = Vec::new();
    let mut number = first;
    while !ended.load(Ordering::Acquire) {
        let alert = json!({ "title": format!("Failover {number}") });
        let status = sender.post(path, &alert).status;
        if status == 200 {
            acknowledged.push(number);
        } else {
            assert_eq!(status, 503);
            thread::park_timeout(Duration::from_millis(20));
        }
        number += 2;
    }
    acknowledged
}

#[derive(QueryableByName)]
struct StoredTitle {
    #[diesel(sql_type = Text)]
    title: String,
}

fn stored(url: &str) -> Vec<String> {
    let mut connection = PgConnection::establish(url).unwrap();
    let query = "SELECT title FROM alerts WHERE title LIKE 'Failover %'";
    let rows: Vec<StoredTitle> = diesel::sql_query(query).load(&mut connection).unwrap();
    rows.into_iter().map(|row| row.title).collect()
}

/// Nothing that was acknowledged is lost or doubled, and the server writes to the new primary by itself.
#[test]
fn acknowledged_alerts_survive_a_failover_to_the_standby() {
    let Some(pair) = ReplicatedPair::start() else {
        return;
    };
    let server = TestServer::start_with(&["--database", &pair.url()]);
    let (sender, path) = (server.sender(), server.generic());
    let ended = AtomicBool::new(false);
    let acknowledged: Vec<usize> = thread::scope(|scope| {
        let senders = [0, 1].map(|first| {
            let (sender, path, ended) = (&sender, &path, &ended);
            scope.spawn(move || post_until(sender, path, ended, first))
        });
        let url = pair.url();
        eventually("alerts are stored", || {
            (stored(&url).len() >= ENOUGH).then_some(())
        });
        pair.fail_over();
        let before = stored(&url).len();
        eventually("alerts are stored again", || {
            (stored(&url).len() >= before + ENOUGH).then_some(())
        });
        ended.store(true, Ordering::Release);
        let numbers = senders.map(|sender| sender.join().unwrap());
        numbers.concat()
    });
    let all = stored(&pair.url());
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "no alert is stored twice");
    for number in &acknowledged {
        let title = format!("Failover {number}");
        assert!(distinct.contains(&title), "{title} was acknowledged");
    }
    assert!(acknowledged.len() >= 2 * ENOUGH);
    for path in ["/-/readiness", "/api/v4/user", "/api/v4/projects"] {
        eventually("reads are answered again", || {
            (server.admin().get(path).status == 200).then_some(())
        });
    }
}
