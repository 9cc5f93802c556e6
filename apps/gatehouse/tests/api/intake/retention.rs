//! Resolved alerts and receipts that are older than they are kept.

use crate::support::{TestServer, eventually, rows};

/// The cleanup runs when the server starts. More alerts than one step deletes are older than they are kept; open ones are
/// never deleted.
#[test]
fn resolved_alerts_and_receipts_are_deleted_after_their_days_and_open_alerts_never() {
    let mut server = TestServer::start_configured(
        "[alerts]\nretention_days = 30\nreceipt_retention_days = 10\n",
    );
    let changes = "
        UPDATE alert_receipts SET received_at = (unixepoch() - 11 * 86400) * 1000000;
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 500)
        INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, description, severity,
            status, service, monitoring_tool, hosts, started_at, last_started_at, ended_at, occurrences, deliveries, payload,
            created_at, updated_at, last_start_stated)
        SELECT 1000 + n, 1, 1000 + n, 1, CAST(n AS BLOB), 1000 + n, 0, 'Old ' || n, '', n % 6, iif(n < 499, 2, 3), '', '', '[]',
            1, 1, iif(n < 499, 2, NULL), 1, 1, '{}', 1, (unixepoch() - iif(n = 1, 29, 31) * 86400) * 1000000, TRUE FROM numbers;
        INSERT INTO notes (project_id, noteable_type, noteable_id, noteable_iid, author_id, system, internal, created_at,
            body, updated_at) SELECT project_id, 1, id, iid, 1, TRUE, FALSE, 1, 'note', 1 FROM alerts WHERE id > 1000";
    rows::change(&server, changes);
    let receipts = rows::count(&server, "alert_receipts");
    assert!(receipts > 0);
    let fresh = rows::count(&server, "alerts WHERE id <= 1000");
    server.kill_and_restart();
    eventually("the old alerts are deleted", || {
        (rows::count(&server, "alerts") == fresh + 3).then_some(())
    });
    // One that has a day left, and two that are ignored, with their notes.
    assert_eq!(
        rows::count(&server, "alerts WHERE iid IN (1001, 1499, 1500)"),
        3
    );
    assert_eq!(
        rows::count(
            &server,
            "notes WHERE noteable_type = 1 AND noteable_id > 1000"
        ),
        3
    );
    eventually("the old receipts are deleted", || {
        (rows::count(&server, "alert_receipts") == 0).then_some(())
    });
    let listed = server
        .developer()
        .get(&format!("{}?search=Old", server.alerts()));
    assert_eq!(listed.list().len(), 3);
}
