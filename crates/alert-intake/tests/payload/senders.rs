//! Bodies captured byte for byte from Alertmanager 0.25.0 (`tests/data`).

use alert_intake::model::{AlertIdentity, Delivery, Severity, Source};
use alert_intake::rules::details;
use serde_json::Value;

use crate::support::{at, delivery};

const FIRING: &str = include_str!("../data/firing.json");
const RESOLVED: &str = include_str!("../data/resolved.json");
const GROUPED: &str = include_str!("../data/grouped.json");
const GROUPED_MIXED: &str = include_str!("../data/grouped_mixed.json");
const TRUNCATED: &str = include_str!("../data/truncated.json");
const ALL: [&str; 5] = [FIRING, RESOLVED, GROUPED, GROUPED_MIXED, TRUNCATED];

fn read(body: &str) -> Delivery {
    delivery(body, Source::Metrics)
}

fn identities(delivery: &Delivery) -> Vec<AlertIdentity> {
    delivery.alerts.iter().map(|alert| alert.identity).collect()
}

/// ALRT-04.
#[test]
fn a_first_notification_is_one_firing_alert_with_all_its_fields() {
    let delivery = read(FIRING);
    let [alert] = &*delivery.alerts else {
        panic!("one alert expected, {} found", delivery.alerts.len());
    };
    assert_eq!(
        (alert.title.as_str(), alert.description.as_str()),
        ("Disk almost full on db1", "5% left")
    );
    assert_eq!(
        (alert.severity, alert.source),
        (Severity::High, Source::Metrics)
    );
    assert_eq!(
        (alert.service.as_str(), alert.monitoring_tool.as_str()),
        ("", "Prometheus")
    );
    assert!(alert.hosts.is_empty());
    assert_eq!(alert.environment_name.as_deref(), Some("production"));
    assert_eq!(alert.started_at, Some(at("2026-11-20T12:22:26.035336Z")));
    assert_eq!(alert.resolved_at, None, "the end in year 1 means never");
    assert_eq!(
        delivery.context.group_key.as_deref(),
        Some("{}:{alertname=\"DiskFull\", cluster=\"a\"}")
    );
    assert_eq!(delivery.body_bytes, FIRING.len());
}

/// ALRT-13.
#[test]
fn the_stored_payload_is_the_item_and_yields_query_and_runbook() {
    let alert = read(FIRING).alerts.remove(0);
    let sent: Value = serde_json::from_str(FIRING).unwrap();
    let kept: Value = serde_json::from_str(&alert.payload).unwrap();
    assert_eq!(kept, sent["alerts"][0]);
    assert!(FIRING.contains(&alert.payload), "the text itself is kept");
    let details = details::of(&alert.payload, alert.source, "service");
    assert_eq!(
        details.metric_query.as_deref(),
        Some("node_filesystem_avail_bytes < 5")
    );
    assert_eq!(
        details.runbook.as_deref(),
        Some("http://runbooks.example/disk")
    );
}

/// ALRT-04, ALRT-08.
#[test]
fn the_end_of_an_alert_is_of_the_same_alert_as_its_firing() {
    let (firing, resolved) = (read(FIRING), read(RESOLVED));
    assert_eq!(identities(&firing), identities(&resolved));
    let end = &resolved.alerts[0];
    assert_eq!(end.resolved_at, Some(at("2026-11-20T12:22:33Z")));
    assert!(
        end.started_at < firing.alerts[0].started_at,
        "the sender moved the start back, and the identity does not care"
    );
}

#[test]
fn hosts_that_fail_together_are_alerts_of_their_own() {
    let group = read(GROUPED);
    let mut identities = identities(&group);
    identities.sort_unstable();
    identities.dedup();
    assert_eq!(identities.len(), 5);
    for alert in &group.alerts {
        assert_eq!(
            (alert.title.as_str(), alert.severity, alert.resolved_at),
            ("p99 latency high", Severity::High, None)
        );
    }
}

#[test]
fn the_status_of_each_item_counts_and_that_of_the_group_does_not() {
    let (before, mixed) = (read(GROUPED), read(GROUPED_MIXED));
    assert_eq!(identities(&before), identities(&mixed));
    let ends: Vec<_> = mixed.alerts.iter().map(|alert| alert.resolved_at).collect();
    let first = Some(at("2026-11-20T12:22:33Z"));
    assert_eq!(ends, [first, None, None, None, None]);
}

#[test]
fn alerts_that_the_sender_left_out_are_counted() {
    let delivery = read(TRUNCATED);
    assert_eq!(delivery.context.truncated_alerts, 3);
    let titles: Vec<&str> = delivery.alerts.iter().map(|alert| &*alert.title).collect();
    assert_eq!(titles, ["Max", "Max"]);
    assert_eq!(delivery.alerts[0].severity, Severity::Critical);
}

#[test]
fn no_captured_body_is_odd_in_any_way() {
    for body in ALL {
        let notes = read(body).context.notes;
        assert!(notes.is_empty(), "{notes:?} for {body:.80}");
    }
}

#[test]
fn a_peer_of_the_cluster_reports_the_same_alerts() {
    for body in ALL {
        let other = body
            .replace(
                "http://alertmanager.example:9093",
                "http://peer.example:9094",
            )
            .replace("\"receiver\":\"h", "\"receiver\":\"other-h");
        assert_ne!(other, body);
        assert_eq!(identities(&read(&other)), identities(&read(body)));
    }
}

#[test]
fn order_and_spelling_of_the_text_do_not_change_the_alert() {
    for body in ALL {
        // The tree sorts keys, so their order differs from the sender's; the text is also indented.
        let tree: Value = serde_json::from_str(body).unwrap();
        let other = serde_json::to_string_pretty(&tree).unwrap();
        assert_ne!(other.trim(), body.trim());
        assert_eq!(identities(&read(&other)), identities(&read(body)));
    }
}

#[test]
fn a_webhook_at_the_generic_endpoint_is_read_as_a_webhook() {
    for body in ALL {
        let here = delivery(body, Source::Generic);
        assert_eq!(here.alerts, read(body).alerts);
        assert_eq!(here.context, read(body).context);
    }
}

#[test]
fn attributes_of_newer_senders_are_ignored() {
    let newer = FIRING.replacen(
        '{',
        "{\"notification_reason\":\"new\",\"routeLabels\":{\"a\":[1]},",
        1,
    );
    assert_eq!(read(&newer).alerts, read(FIRING).alerts);
}
