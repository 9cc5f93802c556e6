//! The process is killed without a graceful stop.

use serde_json::json;

use super::{assert_nothing_lost, stored};
use crate::support::TestServer;
use crate::support::pages::rows;
use crate::support::storm::{self, rage};

/// A successful response means stored; an unanswered alert is stored completely or not at all; and when the senders
/// resend everything under the same keys, nothing is duplicated.
#[test]
fn a_kill_neither_loses_nor_duplicates_acknowledged_alerts() {
    let mut server = TestServer::start();
    let storm = rage(&mut server, 8, 300, TestServer::kill);
    assert_eq!(storm.refused, []);
    server.restart();
    let after = stored(&server);
    assert_nothing_lost(&storm.acknowledged, &after);
    for title in &storm.sent {
        storm::send(&server, title);
    }
    let again = stored(&server);
    assert_eq!(again.len(), storm.sent.len());
    for (title, alert) in &again {
        assert_eq!(alert["event_count"], 1, "{title}");
        if let Some(before) = after.get(title) {
            assert_eq!(alert["iid"], before["iid"], "{title}");
        }
    }
}

/// Each stored alert has its receipt and its entry in the feed: they are written in one transaction.
#[test]
fn alerts_receipts_and_feed_agree_after_a_kill() {
    let mut server = TestServer::start();
    rage(&mut server, 8, 150, TestServer::kill);
    server.restart();
    let alerts = stored(&server).len();
    let dev = server.developer();
    let receipts = rows(&dev, &server.below_project("/alert_receipts?per_page=100"));
    let events = rows(
        &dev,
        &server.below_project("/events?action=created&per_page=100"),
    );
    let of_storm = |title: &&serde_json::Value| {
        let text = title["target_title"].as_str().unwrap_or_default();
        text.starts_with("storm")
    };
    assert_eq!(events.iter().filter(of_storm).count(), alerts);
    // Four receipts belong to the demo.
    assert_eq!(receipts.len(), alerts + 4);
}

/// Numbers continue after the last one, without gaps that two alerts could share.
#[test]
fn numbers_go_on_after_a_kill() {
    let mut server = TestServer::start();
    for number in 4..8 {
        server.kill_and_restart();
        let alert = server.raise(&json!({ "title": format!("Alert {number}") }));
        assert_eq!(alert["iid"], number);
    }
}
