//! Alerts during a failover of PostgreSQL.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use diesel::sql_types::Text;
use diesel::{Connection as _, PgConnection, QueryableByName, RunQueryDsl as _};
use serde_json::json;

use super::{TestCaller, TestServer, eventually};

/// Alerts that are stored before the primary crashes, and again afterwards.
const ENOUGH: usize = 100;

#[derive(QueryableByName)]
struct StoredTitle {
    #[diesel(sql_type = Text)]
    title: String,
}

/// Titles of the stored alerts; empty while the database cannot be reached.
fn stored(url: &str) -> Vec<String> {
    let query = "SELECT title FROM alerts WHERE title LIKE 'Failover %'";
    let rows = PgConnection::establish(url)
        .ok()
        .and_then(|mut connection| diesel::sql_query(query).load(&mut connection).ok());
    let rows: Vec<StoredTitle> = rows.unwrap_or_default();
    rows.into_iter().map(|row| row.title).collect()
}

/// Alerts that a sender posted.
struct Sent {
    /// Numbers of those that were acknowledged.
    acknowledged: Vec<usize>,
    /// Longest time between two acknowledgements.
    longest_gap: Duration,
}

/// Posts alerts until the end.
fn post_until(sender: &TestCaller, path: &str, ended: &AtomicBool, first: usize) -> Sent {
    let mut sent = Sent {
        acknowledged: Vec::new(),
        longest_gap: Duration::ZERO,
    };
    let mut number = first;
    let mut last = Instant::now();
    while !ended.load(Ordering::Acquire) {
        let alert = json!({ "title": format!("Failover {number}") });
        let status = sender.post(path, &alert).status;
        if status == 200 {
            sent.acknowledged.push(number);
            sent.longest_gap = sent.longest_gap.max(last.elapsed());
            last = Instant::now();
        } else {
            assert_eq!(status, 503);
            thread::park_timeout(Duration::from_millis(20));
        }
        number += 2;
    }
    sent
}

/// Demands that nothing that was acknowledged is lost or doubled, and that the server writes to the new primary by itself.
pub(crate) fn check_failover(server: &TestServer, url: &str, fail_over: impl FnOnce()) {
    let (sender, path) = (server.sender(), server.generic());
    let ended = AtomicBool::new(false);
    let sent: [Sent; 2] = thread::scope(|scope| {
        let senders = [0, 1].map(|first| {
            let (sender, path, ended) = (&sender, &path, &ended);
            scope.spawn(move || post_until(sender, path, ended, first))
        });
        eventually("alerts are stored", || {
            (stored(url).len() >= ENOUGH).then_some(())
        });
        fail_over();
        let before = eventually("the new primary has the alerts", || {
            let before = stored(url).len();
            (before >= ENOUGH).then_some(before)
        });
        eventually("alerts are stored again", || {
            (stored(url).len() >= before + ENOUGH).then_some(())
        });
        ended.store(true, Ordering::Release);
        senders.map(|sender| sender.join().unwrap())
    });
    let all = stored(url);
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!(distinct.len(), all.len(), "no alert is stored twice");
    let acknowledged = sent.iter().flat_map(|sent| &sent.acknowledged);
    for number in acknowledged.clone() {
        let title = format!("Failover {number}");
        assert!(distinct.contains(&title), "{title} was acknowledged");
    }
    assert!(acknowledged.count() >= 2 * ENOUGH);
    let gaps = sent.map(|sent| sent.longest_gap);
    println!("longest times between two acknowledged alerts: {gaps:?}");
    for path in ["/-/readiness", "/api/v4/user", "/api/v4/projects"] {
        eventually("reads are answered again", || {
            (server.admin().get(path).status == 200).then_some(())
        });
    }
}
