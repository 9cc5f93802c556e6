//! The general rule on bodies that no recogniser knows.

use api_conventions::ids::{IntegrationId, ProjectId};
use proptest::prelude::*;
use serde_json::json;

use super::*;

const NOW: &str = "2026-11-25T04:00:00Z";

fn context() -> ParseContext {
    let now = Timestamp::parse_rfc3339(NOW).unwrap();
    ParseContext::from_parts(ProjectId::new(1), IntegrationId::new(1), now, [0; 16])
}

fn reading(body: &Value) -> GeneralReading {
    read(
        body,
        body["title"].as_str(),
        body["severity"].as_str(),
        &context(),
    )
    .unwrap_or_else(|| panic!("{body}"))
}

#[test]
fn a_body_without_a_state_and_with_the_specified_title_is_left_alone() {
    for body in [
        json!({"title": "t", "message": "m", "name": "n", "extra": {"state": "resolved"}}),
        json!({"description": "d", "hosts": "h"}),
        json!({}),
        json!({"Title": "x", "TITLE": "y"}),
        json!({"title": "t", "severity": "ok"}),
        json!({"title": "CRITICAL: quota", "message": "of tenant a"}),
        json!({"title": "[Warning] quota", "message": "of tenant a"}),
    ] {
        let found = read(
            &body,
            body["title"].as_str(),
            body["severity"].as_str(),
            &context(),
        );
        assert!(found.is_none(), "{body}");
    }
}

#[test]
fn the_title_is_the_first_name_of_the_table() {
    for (body, expected) in [
        (json!({"name": "Disk", "message": "90%"}), "Disk"),
        (
            json!({"message": "90%", "monitor": {"name": "Disk"}}),
            "Disk",
        ),
        (json!({"org": {"name": "acme"}, "message": "90%"}), "90%"),
        (
            json!({"incident": {"condition_name": "Disk", "summary": "90%"}}),
            "Disk",
        ),
        (
            json!({"data": {"alert": {"title": "Disk"}}, "text": "x"}),
            "Disk",
        ),
        (json!({"alerts": [{"name": "Disk"}]}), "Disk"),
        (json!({"AlertName": "Disk"}), "Disk"),
        (
            json!({"status": "down", "host": {"name": "db1"}, "service": {"name": "disk"}}),
            "db1 disk",
        ),
        (
            json!({"status": "down", "host": "db1", "error": "timeout"}),
            "db1: timeout",
        ),
    ] {
        assert_eq!(reading(&body).title.as_deref(), Some(expected), "{body}");
    }
}

#[test]
fn a_body_is_over_whichever_field_says_so() {
    for body in [
        json!({"name": "a", "status": "resolved"}),
        json!({"name": "a", "state": "OK"}),
        json!({"title": "a", "event": "alert.resolved"}),
        json!({"name": "a", "action": "close"}),
        json!({"name": "a", "alert_state": "recovered", "status": "warning"}),
        json!({"name": "a", "resolved": true}),
        json!({"name": "a", "firing": false}),
        json!({"name": "a", "severity": "cleared"}),
        json!({"name": "a", "resolved_at": "2026-11-25T03:00:00Z"}),
        json!({"incident": {"state": "closed", "summary": "a"}}),
        json!({"check": {"name": "a", "status": "up"}}),
        json!({"title": "a", "transition": "CRITICAL -> OK"}),
        json!({"data": {"type": "incident", "attributes": {"name": "a", "status": "Resolved"}}}),
        json!({"name": "a", "current_state": "UP", "previous_state": "DOWN"}),
    ] {
        assert!(reading(&body).end.is_some(), "{body}");
    }
    for body in [
        json!({"name": "a", "status": "firing"}),
        json!({"name": "a", "status": "down", "host": {"status": "up"}}),
        json!({"name": "a", "resolved": false}),
        json!({"name": "a", "previous_state": "ok"}),
        json!({"name": "a", "event": "traffic went far up"}),
        json!({"name": "a", "resolved_at": null}),
        json!({"name": "a", "ends_at": "2027-01-01T00:00:00Z"}),
        json!({"name": "a", "labels": {"status": "ok"}}),
    ] {
        assert!(reading(&body).end.is_none(), "{body}");
    }
    assert!(reading(&json!({"name": "a", "status": "acknowledged"})).is_noted());
}

/// An alert that is taken for a recovery is lost, so words of an end in other places do not count.
#[test]
fn a_body_fires_although_it_has_words_of_an_end() {
    for body in [
        json!({"name": "Recovery time objective exceeded", "status": "firing"}),
        json!({"subject": "Restored backup is corrupt", "host": "db1"}),
        json!({"message": "ok: false", "host": "db1"}),
        json!({"success": true, "name": "a", "status": "firing"}),
        json!({"name": "a", "status": "down", "reason": "connection closed"}),
        json!({"name": "Queue stopped", "reason": "ConnectionClosed"}),
        json!({"action": "completed", "workflow_run": {"name": "CI", "conclusion": "failure"}}),
        json!({"type": "workflow-completed", "workflow": {"name": "build", "status": "failed"}}),
        json!({"name": "a", "event": "connection reset"}),
        json!({"device": "d1", "message": "battery low", "online": true, "connected": true}),
        json!({"name": "a", "event": "received"}),
        json!({"success": true, "alert": {"name": "a", "state": "firing"}}),
        json!({"host": "db1", "check": "disk", "exit_code": 2}),
        json!({"name": "a", "state": 1}),
        json!({"service": "api", "healthy": false, "error": "502"}),
        json!({"name": "x", "state": "no longer healthy"}),
        json!({"name": "x", "status": "failed to recover"}),
        json!({"name": "x", "status": "could not be resolved"}),
        json!({"message": "The name db1 could not be resolved"}),
        json!({"message": "failed to get db1 back to normal"}),
        json!({"message": "OK button is broken"}),
        json!({"message": "UP to 95 % of the disk is used"}),
        json!({"name": "x", "type": "backup_completed_with_errors"}),
        json!({"name": "x", "event": "replica failed after the restore completed"}),
        json!({"name": "closed connections per second", "value": 7}),
        json!({"name": "x", "alert_state": "OK_TO_CRITICAL"}),
        json!({"name": "x", "previous_status": "ok", "status": "critical"}),
        json!({"name": "x", "check": {"name": "up", "value": 0}}),
        json!({"name": "x", "up": false}),
        json!({"name": "x", "healthy": "no"}),
        json!({"name": "x", "message": "Resolve the conflict: two primaries"}),
        json!({"name": "x", "annotations": {"status": "resolved"}}),
        json!({"name": "x", "attachments": [{"color": "danger", "title": "x"}]}),
        json!({"title": "Disk", "message": "[RESOLVED] was too early", "status": "firing"}),
    ] {
        let found = read(&body, body["title"].as_str(), None, &context());
        assert!(found.is_none_or(|found| found.end.is_none()), "{body}");
    }
}

#[test]
fn reports_about_one_alert_share_its_identity() {
    let same = [
        (
            json!({"name": "a", "status": "firing", "id": 1, "value": 3}),
            json!({"name": "a", "status": "ok", "id": 2, "value": 4}),
        ),
        (
            json!({"title": "[FIRING] a", "state": "firing"}),
            json!({"title": "[RESOLVED] a", "state": "resolved"}),
        ),
        (
            json!({"message": "web is down for 3m", "status": "down"}),
            json!({"message": "web is up after 5m", "status": "up"}),
        ),
        (
            json!({"alias": "k", "name": "a", "status": "open"}),
            json!({"alias": "k", "name": "b", "status": "closed"}),
        ),
        (
            json!({"incident": {"id": 7, "summary": "a", "state": "open"}}),
            json!({"incident": {"id": 7, "summary": "b", "state": "closed"}}),
        ),
        (
            json!({"status": "firing", "zone": "z"}),
            json!({"status": "resolved", "zone": "z", "time": 7}),
        ),
        (
            json!({"job": "backup", "success": false, "error": "no space"}),
            json!({"job": "backup", "success": true}),
        ),
        (
            json!({"host": "db1", "status": "down", "message": "connection refused"}),
            json!({"host": "db1", "status": "up", "message": "answers in 20 ms"}),
        ),
        (
            json!({"host": "db1", "service_description": "disk", "state": 2}),
            json!({"host": "db1", "service_description": "disk", "state": 0}),
        ),
        (
            json!({"project": "shop", "branch": "main", "result": "failed"}),
            json!({"project": "shop", "branch": "main", "result": "success"}),
        ),
        (json!({"status": "firing"}), json!({"status": "resolved"})),
    ];
    for (fires, over) in same {
        assert_eq!(reading(&fires).identity, reading(&over).identity, "{fires}");
        assert!(
            reading(&fires).end.is_none() && reading(&over).end.is_some(),
            "{over}"
        );
    }
    let different = [
        (
            json!({"name": "a", "host": "x"}),
            json!({"name": "a", "host": "y"}),
        ),
        (json!({"name": "disk 1"}), json!({"name": "disk 2"})),
        (
            json!({"rule_id": 1, "name": "a", "host": "x"}),
            json!({"rule_id": 1, "name": "a", "host": "y"}),
        ),
        (
            json!({"status": "firing", "zone": "z"}),
            json!({"status": "firing", "zone": "y"}),
        ),
        (
            json!({"name": "a", "env": "x"}),
            json!({"name": "a", "env": "y"}),
        ),
        (
            json!({"name": "a", "hosts": "x", "service": "s"}),
            json!({"name": "a", "hosts": "y", "service": "s"}),
        ),
        (
            json!({"name": "a", "service": "s"}),
            json!({"name": "a", "service": "t"}),
        ),
        (
            json!({"project": "shop", "branch": "main", "result": "failed"}),
            json!({"project": "shop", "branch": "next", "result": "failed"}),
        ),
    ];
    for (one, other) in different {
        assert_ne!(reading(&one).identity, reading(&other).identity, "{one}");
    }
}

#[test]
fn the_other_fields_have_their_usual_names() {
    let body = json!({
        "monitor": {"name": "Disk", "id": 7}, "status": "WARNING", "priority": "P2", "host": {"name": "db1"},
        "application": "shop", "env": "prod", "tool": "Watcher", "message": "90%", "triggered_at": 1_764_039_600,
    });
    let found = reading(&body);
    assert_eq!(
        (found.severity, &*found.hosts),
        (Some(Severity::High), &["db1".to_owned()][..])
    );
    let texts = [
        &found.service,
        &found.environment,
        &found.tool,
        &found.description,
    ]
    .map(Option::as_deref);
    assert_eq!(
        texts,
        [Some("shop"), Some("prod"), Some("Watcher"), Some("90%")]
    );
    assert!(found.started_at.is_some());
    assert_eq!(
        reading(&json!({"name": "a", "status": "WARNING"})).severity,
        Some(Severity::Low)
    );
    assert_eq!(
        found.note,
        "read by the general rule: the title from \"monitor.name\", the state from \"status\" (fires)"
    );
}

#[test]
fn a_hostile_body_costs_no_more_than_its_length() {
    let name = "_".repeat(1_000_000);
    let fields: Vec<String> = (0..3_000)
        .map(|n| format!("\"status{n}\":\"ok\""))
        .collect();
    let body = format!(
        "{{\"event{name}\":{{{}}},\"name\":\"a\"}}",
        fields.join(",")
    );
    let body: Value = serde_json::from_str(&body).unwrap();
    assert!(reading(&body).note.len() < 200);
}

proptest! {
    #[test]
    fn no_body_with_an_over_state_fires(
        field in prop::sample::select(vec!["status", "state", "alertState", "event_action", "transition", "current_state", "eventType"]),
        word in prop::sample::select(vec!["resolved", "RESOLVED", "ok", "Recovered", "closed", "clear", "up", "incident.resolved"]),
        others in prop::collection::btree_map("[a-z_]{1,12}", "[ -~]{0,20}", 0..6),
    ) {
        let mut body = json!(others);
        body[field] = json!(word);
        let title = body["title"].as_str().map(str::to_owned);
        let found = read(&body, title.as_deref(), None, &context());
        prop_assert!(found.is_some_and(|found| found.end.is_some()));
    }
}
