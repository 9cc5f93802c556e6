//! The list of alerts and the page of an alert.

use serde_json::json;

use super::{assert_redirected, below, submit, text};
use crate::support::TestServer;

const LIST: &str = "/-/alert_management";

#[test]
fn alerts_are_listed_by_status_and_narrowed_as_in_the_api() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let open = text(&mut developer, &below(LIST));
    for part in [
        "Disk almost full",
        "title=\"checkout\"",
        "Open <span class=\"count\">2</span>",
        "Resolved <span class=\"count\">1</span>",
    ] {
        assert!(open.contains(part), "{part}: {open}");
    }
    assert!(!open.contains("Nightly backup late"), "{open}");
    let resolved = text(
        &mut developer,
        &below("/-/alert_management?status=resolved"),
    );
    assert!(
        resolved.contains("Nightly backup late") && !resolved.contains("Disk"),
        "{resolved}"
    );
    let path =
        below("/-/alert_management?severity=high&search=checkout&order_by=event_count&sort=asc");
    let narrowed = text(&mut developer, &path);
    assert!(
        narrowed.contains("1 alert<") && narrowed.contains("value=\"checkout\""),
        "{narrowed}"
    );
    assert!(narrowed.contains("aria-sort=\"ascending\""), "{narrowed}");
    for wrong in ["severity=worst", "status=lost", "order_by=title", "page=x"] {
        let path = below(&format!("/-/alert_management?{wrong}"));
        assert_eq!(developer.open(&path).status, 400, "{wrong}");
    }
}

#[test]
fn a_project_without_alerts_shows_the_alert_endpoint_url() {
    let server = TestServer::start();
    server.create_project("acme/quiet", "private", "dev");
    let page = text(
        &mut server.signed_in("developer"),
        "/acme/quiet/-/alert_management",
    );
    let url = format!("{}/acme/quiet/alerts/notify.json", server.base_url());
    assert!(
        page.contains("No open alerts") && page.contains(&url),
        "{page}"
    );
}

#[test]
fn an_alert_is_acknowledged_resolved_and_opened_again() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let path = "/-/alert_management/1/details";
    let page = text(&mut developer, &below(path));
    for part in ["Acknowledge", "Fired 2 times", "2310", "web-1", "Payload"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for (status, notice, offered) in [
        ("acknowledged", "Alert acknowledged.", "Mark as resolved"),
        ("resolved", "Alert resolved.", "Reopen"),
        ("triggered", "Alert reopened.", "Ignore"),
        ("ignored", "Alert ignored.", "Reopen"),
    ] {
        let answer = submit(&mut developer, path, path, &[("status", status)]);
        assert_redirected(&mut developer, &answer, path, notice);
        assert!(
            text(&mut developer, &below(path)).contains(offered),
            "{status}"
        );
        let alert = server
            .developer()
            .get(&format!("{}/1", server.alerts()))
            .expect(200);
        assert_eq!(alert["status"], status);
    }
    let comments = "/-/alert_management/1/notes";
    let comment = [("body", "Looking at it, <b>*now*</b>")];
    let answer = submit(&mut developer, path, comments, &comment);
    assert_redirected(&mut developer, &answer, path, "Comment added.");
    let page = text(&mut developer, &below(path));
    assert!(
        page.contains("Looking at it,") && !page.contains("<b><em>"),
        "{page}"
    );
    let blank = submit(&mut developer, path, comments, &[("body", " ")]);
    assert_eq!(blank.status, 422);
    let wrong = submit(&mut developer, path, path, &[("status", "lost")]);
    assert_eq!(wrong.status, 400);
    let unknown = "/-/alert_management/99/details";
    assert_eq!(
        submit(&mut developer, path, unknown, &[("status", "resolved")]).status,
        404
    );
    let mut reporter = server.signed_in("reporter");
    for (to, field) in [(path, ("status", "resolved")), (comments, ("body", "x"))] {
        let hidden = reporter.submit("/profile", &below(to), &[field]);
        assert_eq!(hidden.status, 404);
    }
}

/// As in the API: two open alerts never have the same identity.
#[test]
fn an_alert_stays_resolved_while_another_one_with_its_identity_is_open() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let path = "/-/alert_management/2/details";
    submit(&mut developer, path, path, &[("status", "resolved")]);
    server.raise(&json!({ "title": "Disk almost full", "fingerprint": "disk-search-1" }));
    let refused = submit(&mut developer, path, path, &[("status", "triggered")]);
    assert_eq!(refused.status, 409);
    let text = refused.text();
    assert!(
        text.contains("An alert with the same fingerprint is already open"),
        "{text}"
    );
}

/// ALRT-13.
#[test]
fn the_page_of_an_alert_has_all_annotations_the_metric_query_and_its_label() {
    let server = TestServer::start();
    let item = json!({
        "status": "firing", "labels": { "alertname": "HighLatency", "tier": "web" },
        "annotations": {
            "title": "Checkout is slow", "service_y_label": "Seconds", "impact": { "region": { "name": "north" } },
            "steps": ["look", "scale"], "runbook_url": "https://wiki.example/latency",
        },
        "startsAt": "2026-11-25T03:00:00Z", "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example/graph?g0.expr=latency_seconds+%3E+2&g0.tab=1",
        "fingerprint": "a1",
    });
    let body = json!({
        "version": "4", "groupKey": "{}", "truncatedAlerts": 0, "status": "firing", "receiver": "web",
        "groupLabels": {}, "commonLabels": {}, "commonAnnotations": {}, "externalURL": "http://alertmanager.example",
        "alerts": [item],
    });
    let stored = server.sender().post(&server.metrics(), &body).expect(200);
    let path = below(&format!("/-/alert_management/{}/details", stored[0]["iid"]));
    let page = text(&mut server.signed_in("developer"), &path);
    for part in [
        "latency_seconds &#62; 2",
        "Y axis: <bdi>Seconds</bdi>",
        "<dt><bdi>impact.region.name</bdi></dt>",
        "<dd><bdi>north</bdi></dd>",
        "<dt><bdi>steps</bdi></dt>",
        "<dt><bdi>tier</bdi></dt>",
        "href=\"https://wiki.example/latency\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn hostile_alert_data_is_escaped_and_its_direction_isolated() {
    let server = TestServer::start();
    let hostile = "<script>x</script>\u{202e}\"'><img src=y>";
    let alert = server.raise(&json!({
        "title": hostile, "description": hostile.repeat(20), "service": hostile, "hosts": [hostile],
        "runbook": "javascript:alert(1)", hostile: hostile,
    }));
    let mut developer = server.signed_in("developer");
    let detail = below(&format!("/-/alert_management/{}/details", alert["iid"]));
    for path in [
        detail.clone(),
        below(LIST),
        below(""),
        below("/-/activity"),
        "/".to_owned(),
    ] {
        let page = text(&mut developer, &path);
        assert!(
            !page.contains("<script>x") && !page.contains("<img src=y"),
            "{path}: {page}"
        );
        assert!(!page.contains("href=\"javascript:"), "{path}: {page}");
    }
    // Text that changes the direction is isolated within its own element.
    let page = text(&mut developer, &detail);
    for (at, _) in page.match_indices('\u{202e}') {
        let before = page.split_at(at).0;
        let is_isolated = before.matches("<bdi").count() > before.matches("</bdi>").count();
        assert!(is_isolated, "{before}");
    }
}

#[test]
fn pages_of_a_project_are_pages_like_all_others() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    for rest in [
        "",
        LIST,
        "/-/alert_management/1/details",
        "/-/activity",
        "/-/labels/new",
    ] {
        let page = developer.open(&below(rest));
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'self'; script-src 'self';"));
        assert_eq!(page.header("cache-control"), Some("no-store"), "{rest}");
        let text = page.text();
        assert_eq!(
            (
                text.matches("<script").count(),
                text.matches("style=").count()
            ),
            (1, 0),
            "{rest}"
        );
        assert_eq!(text.matches("<h1").count(), 1, "{rest}");
        assert!(text.contains("aria-current=\"page\""), "{rest}");
    }
}

#[test]
fn the_page_of_an_alert_shows_its_notes_and_who_changed_its_status() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let path = below("/-/alert_management/1/details");
    let page = text(&mut developer, &path);
    assert!(!page.contains("status changed by"), "{page}");
    let alert = format!("{}/1", server.alerts());
    let note = json!({ "body": "Looking at **web-1**" });
    let note = server
        .developer()
        .post(&format!("{alert}/notes"), &note)
        .expect(201);
    for _ in 0..2 {
        let status = json!({ "status": "acknowledged" });
        server.developer().put(&alert, &status).assert_ok();
    }
    let page = text(&mut developer, &path);
    for part in [
        &format!("id=\"note_{}\"", note["id"]),
        "Looking at <strong>web-1</strong>",
        "status changed by <bdi title=\"Dana Developer\">Dana Developer</bdi>",
        "Comments and changes <span class=\"count\">2</span>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // Setting the same status again is not a change.
    let changes = page.matches("changed the status to <strong>Acknowledged</strong>");
    assert_eq!(changes.count(), 1, "{page}");
    // The feed links to the exact note.
    let activity = text(&mut developer, &below("/-/activity"));
    let href = format!("href=\"{path}#note_{}\"", note["id"]);
    assert!(activity.contains(&href), "{activity}");
    // Changes by the sender have no author.
    let end =
        json!({ "title": "x", "fingerprint": "checkout-slow", "end_time": "2024-05-01T02:00:00Z" });
    server.raise(&end);
    let page = text(&mut developer, &path);
    assert!(page.contains("Resolved"), "{page}");
    assert!(!page.contains("status changed by"), "{page}");
}

#[test]
fn the_text_of_an_alert_sets_no_direction_and_no_markup() {
    let server = TestServer::start();
    let hostile = "a\u{202e}<b>\u{2067}b";
    let raised = server.raise(&json!({
        "title": hostile, "description": hostile, "service": hostile, "monitoring_tool": hostile,
        "hosts": [hostile], "gitlab_environment_name": hostile, "runbook_url": "https://example.com/\u{202e}",
        "more": hostile,
    }));
    let path = below(&format!("/-/alert_management/{}/details", raised["iid"]));
    let mut developer = server.signed_in("developer");
    for path in [path, below(LIST), below("/-/activity")] {
        let page = text(&mut developer, &path);
        let sets = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}' | '\u{2067}');
        assert!(!page.contains(sets) && !page.contains("<b>"), "{page}");
        assert!(page.contains("a\u{fffd}&#60;b&#62;\u{fffd}b"), "{page}");
    }
}

#[test]
fn selected_alerts_change_together_and_an_alert_gets_a_severity_and_an_assignee() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let list = "/-/alert_management?severity=high,critical";
    for (field, value, notice) in [
        ("assignee", "me", "Selected alerts updated."),
        ("status", "acknowledged", "Selected alerts updated."),
    ] {
        let fields = [
            ("iids[]", "1"),
            ("iids[]", "2"),
            ("iids[]", "77"),
            (field, value),
        ];
        let answer = submit(&mut developer, list, list, &fields);
        assert_eq!(answer.status, 303, "{}", answer.text());
        let back = answer.header("location").unwrap().to_owned();
        assert!(
            back.starts_with(&below("/-/alert_management?severity=high")),
            "{back}"
        );
        assert!(text(&mut developer, &back).contains(notice));
    }
    let page = text(&mut developer, &below(LIST));
    assert_eq!(page.matches("title=\"@dev\"").count(), 2, "{page}");
    assert_eq!(page.matches("Acknowledged</span>").count(), 2, "{page}");
    for fields in [&[("status", "resolved")][..], &[("iids[]", "1")]] {
        assert_eq!(submit(&mut developer, LIST, LIST, fields).status, 400);
    }
    let path = "/-/alert_management/1/details";
    for (field, value, notice, part) in [
        (
            "severity",
            "low",
            "Severity changed.",
            "changed the severity to <strong>Low</strong>",
        ),
        ("assignee", "", "Assignee changed.", "Assign to me"),
        ("assignee", "@root", "Assignee changed.", "assigned to"),
    ] {
        let answer = submit(&mut developer, path, path, &[(field, value)]);
        assert_redirected(&mut developer, &answer, path, notice);
        let page = text(&mut developer, &below(path));
        assert!(page.contains(part), "{part}: {page}");
        // A later change of something else leaves the user who set the status on the page.
        assert!(page.contains("status changed by"), "{page}");
    }
    for (value, problem) in [
        ("nobody-here", "No user has this username."),
        ("rita", "This user cannot be assigned"),
    ] {
        let answer = submit(&mut developer, path, path, &[("assignee", value)]);
        assert_eq!(answer.status, 422, "{}", answer.text());
        assert!(answer.text().contains(problem), "{}", answer.text());
    }
}
