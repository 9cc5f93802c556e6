//! Retention of the feed.

use crate::support::{TestServer, eventually, rows};

/// EVT-07. The cleanup runs when the server starts, and regularly from then on. A kind of data that cannot be deleted does
/// not keep the others.
#[test]
fn events_older_than_three_years_are_removed_while_the_feed_is_read() {
    let mut server = TestServer::start();
    let path = server.below_project("/events?sort=asc&per_page=1");
    let total = |server: &TestServer| {
        let feed = server.developer().get(&path);
        feed.list();
        feed.header("x-total").unwrap().parse::<i64>().unwrap()
    };
    let recent = total(&server);
    // More than two steps of the cleanup, each of them a day too old, and one that has a day left.
    let changes = "
        UPDATE events SET id = id + 100000;
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 451)
        INSERT INTO events (id, project_id, author_id, action, audience, created_at)
        SELECT n, 1, 1, 1, 0, (unixepoch() - (1096 + iif(n < 451, 1, -1)) * 86400) * 1000000
        FROM numbers;
        INSERT INTO sessions
        (digest, user_id, stage, user_agent, address, authenticated_at, last_seen_at, expires_at)
        VALUES (x'00', 1, 1, '', '', 1, 1, 1);
        CREATE TRIGGER kept_session BEFORE DELETE ON sessions
        BEGIN SELECT RAISE(ABORT, 'this session stays'); END";
    rows::change(&server, changes);
    server.kill_and_restart();
    eventually("the old events are removed", || {
        (total(&server) == recent + 1).then_some(())
    });
    assert_eq!(rows::number(&server, "SELECT min(id) FROM events"), 451);
    assert_eq!(rows::count(&server, "sessions WHERE digest = x'00'"), 1);
}
