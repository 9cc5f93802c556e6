//! Project hooks: their API, and the events that they report.

use serde_json::{Value, json};

use super::delivery::{body, header};
use super::{channels, messages, send, server, wait_for_messages};
use crate::support::TestServer;
use crate::support::fake_service::FakeService;
use crate::support::polling::eventually;

fn hooks(server: &TestServer) -> String {
    server.below_project("/hooks")
}

fn issues(server: &TestServer) -> String {
    server.below_project("/issues")
}

/// Creates a hook to a receiver with more fields, and returns it.
fn hook(server: &TestServer, receiver: &FakeService, more: &Value) -> Value {
    let mut hook = json!({ "url": format!("{}/hook", receiver.url()) });
    let fields = hook.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    server.admin().post(&hooks(server), &hook).expect(201)
}

/// Creates an issue, and returns its path.
fn create_issue(server: &TestServer, issue: &Value) -> String {
    let created = server.developer().post(&issues(server), issue).expect(201);
    format!("{}/{}", issues(server), created["iid"])
}

#[test]
fn a_hook_is_created_changed_and_deleted() {
    let server = server();
    let url = "https://bot.example.com/hook";
    let created = server.admin().post(&hooks(&server), &json!({ "url": url }));
    let created = created.expect(201);
    assert_eq!(created["url"], url);
    assert_eq!(created["name"], "bot.example.com");
    assert_eq!(created["alert_status"], "executable");
    assert_eq!(created["enable_ssl_verification"], true);
    let is_event = |name: &&String| name.ends_with("_events");
    let fields = created.as_object().unwrap();
    assert!(fields.keys().filter(is_event).count() >= 18);
    let mut events = fields.iter().filter(|(name, _)| is_event(name));
    assert!(events.all(|(_, value)| *value == false), "{created}");

    // Another hook with the same URL, as v4 allows; its token is never shown.
    let more =
        json!({ "url": url, "token": "secret", "issues_events": true, "push_events": false });
    let other = server.admin().post(&hooks(&server), &more).expect(201);
    assert_eq!(other["name"], "bot.example.com 2");
    assert_eq!(other["issues_events"], true);
    assert_eq!(other.get("token"), None);
    assert_eq!(server.admin().get(&hooks(&server)).list().len(), 2);

    let one = format!("{}/{}", hooks(&server), created["id"]);
    let edit = json!({ "note_events": 1, "alert_events": true, "description": "Bot", "name": "" });
    let changed = server.admin().put(&one, &edit).expect(200);
    assert_eq!(changed["note_events"], true);
    assert_eq!(changed["description"], "Bot");
    assert_eq!(changed["name"], "bot.example.com");
    assert_eq!(server.admin().get(&one).expect(200), changed);

    // A hook is one of the channels, and other channels are no hooks.
    let channel = format!("{}/{}", channels(&server), created["id"]);
    let shown = server.admin().get(&channel).expect(200);
    assert_eq!(
        (&shown["kind"], &shown["has_secret"]),
        (&json!("hook"), &json!(false))
    );
    let webhook = json!({ "kind": "webhook", "name": "x", "url": url });
    let webhook = server
        .admin()
        .post(&channels(&server), &webhook)
        .expect(201);
    let no_hook = format!("{}/{}", hooks(&server), webhook["id"]);
    server.admin().get(&no_hook).expect(404);
    server.admin().delete(&no_hook).expect(404);
    assert_eq!(server.admin().get(&hooks(&server)).list().len(), 2);

    server.admin().delete(&one).expect(204);
    server.admin().get(&one).expect(404);
    server.developer().get(&hooks(&server)).expect(403);
}

#[test]
fn what_a_hook_cannot_do_is_refused() {
    let server = server();
    let url = "https://bot.example.com/hook";
    for (field, value, expected) in [
        ("push_events", json!(true), "push_events must be false"),
        (
            "merge_requests_events",
            json!(1),
            "merge_requests_events must be false",
        ),
        (
            "enable_ssl_verification",
            json!(false),
            "certificates are always verified",
        ),
        (
            "custom_headers",
            json!([{ "key": "X", "value": "y" }]),
            "custom_headers is not supported",
        ),
        (
            "custom_webhook_template",
            json!("{}"),
            "custom_webhook_template is not supported",
        ),
        (
            "push_events_branch_filter",
            json!("main"),
            "push_events_branch_filter is not supported",
        ),
        ("url", json!("ftp://bot.example.com"), "url must be"),
        ("url", Value::Null, "url"),
        ("token", json!("two\nlines"), "token must be"),
    ] {
        let mut hook = json!({ "url": url });
        hook[field] = value;
        let refused = server.admin().post(&hooks(&server), &hook).expect(400);
        assert!(refused.to_string().contains(expected), "{field}: {refused}");
    }
    let harmless = json!({ "url": url, "custom_headers": [], "custom_webhook_template": "", "pipeline_events": false,
        "enable_ssl_verification": true });
    let created = server.admin().post(&hooks(&server), &harmless).expect(201);
    let channel = format!("{}/{}", channels(&server), created["id"]);
    for edit in [
        json!({ "delay_minutes": 5 }),
        json!({ "minimum_severity": "high" }),
        json!({ "incident_events": true }),
    ] {
        let refused = server.admin().put(&channel, &edit).expect(400);
        assert!(refused.to_string().contains("project hook"), "{refused}");
    }
    let hook = json!({ "kind": "hook", "name": "x", "url": url });
    server.admin().post(&channels(&server), &hook).expect(400);
    let test = format!("{channel}/test");
    let refused = server.admin().post(&test, &json!({})).expect(400);
    assert!(refused.to_string().contains("/test/:trigger"), "{refused}");
}

#[test]
fn issues_are_reported_as_v4_clients_expect() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    hook(
        &server,
        &receiver,
        &json!({ "issues_events": true, "token": "s3cret" }),
    );
    let issue = create_issue(&server, &json!({ "title": "Broken", "labels": "bug" }));
    create_issue(&server, &json!({ "title": "Hidden", "confidential": true }));
    server
        .developer()
        .put(&issue, &json!({ "title": "Mended" }))
        .expect(200);
    server
        .developer()
        .put(&issue, &json!({ "title": "Mended" }))
        .expect(200);
    server
        .developer()
        .put(&issue, &json!({ "state_event": "close" }))
        .expect(200);
    server
        .developer()
        .put(&issue, &json!({ "state_event": "reopen" }))
        .expect(200);
    let sent = wait_for_messages(&server, &[("hook.issue", "sent"); 4]);
    let requests = receiver.requests();
    let bodies: Vec<Value> = requests.iter().map(|request| body(request)).collect();
    let actions = bodies
        .iter()
        .map(|body| &body["object_attributes"]["action"]);
    assert_eq!(
        actions.collect::<Vec<_>>(),
        ["open", "update", "close", "reopen"]
    );
    let opened = &bodies[0];
    assert_eq!(opened["object_kind"], "issue");
    assert_eq!(opened["event_type"], "issue");
    assert_eq!(opened["object_attributes"]["title"], "Broken");
    assert_eq!(opened["labels"][0]["title"], "bug");
    assert_eq!(opened["user"]["email"], "[REDACTED]");
    let project_url = opened["project"]["web_url"].as_str().unwrap();
    assert_eq!(project_url, format!("{}/acme/web-shop", server.base_url()));
    let issue_url = opened["object_attributes"]["url"].as_str().unwrap();
    assert!(
        issue_url.starts_with(&format!("{project_url}/-/issues/")),
        "{issue_url}"
    );
    let title = &bodies[1]["changes"]["title"];
    assert_eq!(*title, json!({ "previous": "Broken", "current": "Mended" }));
    assert_eq!(
        bodies[2]["changes"]["state_id"],
        json!({ "previous": 1, "current": 2 })
    );
    for (request, message) in requests.iter().zip(&sent) {
        assert_eq!(header(request, "x-gitlab-event"), "Issue Hook");
        assert_eq!(header(request, "x-gitlab-token"), "s3cret");
        assert_eq!(header(request, "x-gitlab-instance"), server.base_url());
        assert_eq!(
            header(request, "idempotency-key"),
            message["key"].as_str().unwrap()
        );
        assert!(!request.to_lowercase().contains("webhook-signature"));
        assert!(header(request, "user-agent").starts_with("Gatehouse/"));
    }
    let uuids = requests
        .iter()
        .map(|request| header(request, "x-gitlab-event-uuid"));
    let uuids: std::collections::BTreeSet<String> = uuids.collect();
    assert_eq!(uuids.len(), 4);
}

#[test]
fn confidential_issues_and_comments_have_hooks_of_their_own() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    // The token is a secret of Standard Webhooks, so requests are signed.
    let secret = notifications::formats::secret_of(&[7; 32]);
    let flags = json!({ "confidential_issues_events": true, "confidential_note_events": true, "token": secret });
    hook(&server, &receiver, &flags);
    let open = create_issue(
        &server,
        &json!({ "title": "Open", "issue_type": "incident" }),
    );
    let hidden = create_issue(
        &server,
        &json!({ "title": "Hidden", "issue_type": "incident", "confidential": true }),
    );
    let comment = |issue: &str, comment: Value| {
        let notes = format!("{issue}/notes");
        server.developer().post(&notes, &comment).expect(201)
    };
    comment(&open, json!({ "body": "for all" }));
    comment(&open, json!({ "body": "for some", "internal": true }));
    let note = comment(&hidden, json!({ "body": "hidden as well" }));
    let note = format!("{hidden}/notes/{}", note["id"]);
    server
        .developer()
        .put(&note, &json!({ "body": "changed" }))
        .expect(200);
    // What was confidential is part of this change.
    server
        .developer()
        .put(&hidden, &json!({ "confidential": false }))
        .expect(200);
    server
        .developer()
        .put(&hidden, &json!({ "title": "Public" }))
        .expect(200);
    let expected = [
        "hook.issue",
        "hook.note",
        "hook.note",
        "hook.note",
        "hook.issue",
    ];
    wait_for_messages(&server, &expected.map(|event| (event, "sent")));
    let requests = receiver.requests();
    let bodies: Vec<Value> = requests.iter().map(|request| body(request)).collect();
    assert_eq!(bodies[0]["object_kind"], "work_item");
    assert_eq!(bodies[0]["event_type"], "confidential_issue");
    let notes: Vec<(&Value, &Value)> = bodies[1..4]
        .iter()
        .map(|body| {
            (
                &body["object_attributes"]["note"],
                &body["object_attributes"]["action"],
            )
        })
        .collect();
    let expected = [
        ("for some", "create"),
        ("hidden as well", "create"),
        ("changed", "update"),
    ];
    let expected = expected.map(|(note, action)| (json!(note), json!(action)));
    assert!(
        notes
            .iter()
            .zip(&expected)
            .all(|(found, (note, action))| *found == (note, action)),
        "{notes:?}"
    );
    assert!(
        bodies[1..4]
            .iter()
            .all(|body| body["event_type"] == "confidential_note")
    );
    assert_eq!(bodies[2]["issue"]["title"], "Hidden");
    assert_eq!(
        header(&requests[0], "x-gitlab-event"),
        "Confidential Issue Hook"
    );
    assert_eq!(
        header(&requests[1], "x-gitlab-event"),
        "Confidential Note Hook"
    );
    for request in &requests {
        let seconds: i64 = header(request, "webhook-timestamp").parse().unwrap();
        let (_, text) = request.split_once("\r\n\r\n").unwrap();
        let key = header(request, "webhook-id");
        let signature = notifications::formats::sign(&secret, &key, seconds, text.as_bytes());
        assert_eq!(header(request, "webhook-signature"), signature.unwrap());
    }
}

#[test]
fn every_change_of_an_alert_is_reported() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    hook(&server, &receiver, &json!({ "alert_events": true }));
    send(
        &server,
        "a",
        &json!({ "severity": "low", "start_time": "2026-01-01T00:00:00Z" }),
    );
    let alert = server.developer().get(&server.alerts()).list().remove(0);
    let one = format!("{}/{}", server.alerts(), alert["iid"]);
    server
        .developer()
        .put(&one, &json!({ "status": "acknowledged" }))
        .expect(200);
    send(&server, "a", &json!({ "end_time": "2026-01-02T00:00:00Z" }));
    // The acknowledgement cancels messages to people, not those of hooks.
    wait_for_messages(&server, &[("hook.alert", "sent"); 3]);
    let bodies: Vec<Value> = receiver.requests().iter().map(|it| body(it)).collect();
    let of = |name: &str| -> Vec<Value> {
        let attributes = bodies.iter().map(|body| &body["object_attributes"]);
        attributes
            .map(|attributes| attributes[name].clone())
            .collect()
    };
    assert_eq!(of("action"), ["open", "acknowledge", "resolve"]);
    assert_eq!(of("status"), ["triggered", "acknowledged", "resolved"]);
    assert_eq!(of("severity"), ["low", "low", "low"]);
    assert_eq!(of("iid"), vec![alert["iid"].clone(); 3]);
    assert_eq!(of("started_at")[0], "2026-01-01T00:00:00.000Z");
    assert_eq!(bodies[0]["object_kind"], "alert");
    assert_eq!(bodies[0]["project"]["path_with_namespace"], "acme/web-shop");
    let url = of("url")[0].as_str().unwrap().to_owned();
    assert!(
        url.starts_with(server.base_url()) && url.contains("/-/alert_management/"),
        "{url}"
    );
    let request = receiver.requests().remove(0);
    assert_eq!(header(&request, "x-gitlab-event"), "Alert Hook");
}

#[test]
fn a_test_sends_what_exists_and_a_failure_is_shown() {
    let (server, receiver) = (server(), FakeService::start());
    let created = hook(&server, &receiver, &json!({}));
    let one = format!("{}/{}", hooks(&server), created["id"]);
    let test = |trigger: &str| {
        let path = format!("{one}/test/{trigger}");
        server.admin().post(&path, &json!({}))
    };
    let refused = test("confidential_issues_events").expect(422);
    assert!(
        refused.to_string().contains("create a confidential issue"),
        "{refused}"
    );
    let refused = test("push_events").expect(400);
    assert!(refused.to_string().contains("issues_events"), "{refused}");
    let issue = create_issue(&server, &json!({ "title": "Broken" }));
    let note = json!({ "body": "Looks bad" });
    server
        .developer()
        .post(&format!("{issue}/notes"), &note)
        .expect(201);
    receiver.queue_response(503, "", b"busy");
    assert_eq!(
        test("note_events").expect(201),
        json!({ "message": "201 Created" })
    );
    let waiting = eventually("the hook waits", || {
        let hook = server.admin().get(&one).expect(200);
        (hook["alert_status"] == "temporarily_disabled").then_some(hook)
    });
    assert!(waiting["disabled_until"].as_str().is_some());
    receiver.always("/hook", "text/plain", "thanks");
    wait_for_messages(&server, &[("hook.note", "sent")]);
    let requests = receiver.requests();
    let uuid = |place: usize, of: &str| header(&requests[place], &format!("x-gitlab-{of}-uuid"));
    assert_eq!(uuid(0, "event"), uuid(1, "event"));
    assert_ne!(uuid(0, "webhook"), uuid(1, "webhook"));
    assert_eq!(body(&requests[1])["object_attributes"]["note"], "Looks bad");
    let hook = server.admin().get(&one).expect(200);
    assert_eq!(
        (&hook["alert_status"], &hook["disabled_until"]),
        (&json!("executable"), &Value::Null)
    );
}

#[test]
fn a_receiver_that_is_gone_disables_its_hook_and_another_url_gets_no_token() {
    let (server, receiver) = (server(), FakeService::start());
    let created = hook(
        &server,
        &receiver,
        &json!({ "issues_events": true, "token": "s3cret" }),
    );
    let one = format!("{}/{}", hooks(&server), created["id"]);
    receiver.queue_response(410, "", b"");
    create_issue(&server, &json!({ "title": "One" }));
    wait_for_messages(&server, &[("hook.issue", "failed")]);
    let gone = server.admin().get(&one).expect(200);
    assert_eq!(gone["alert_status"], "disabled");
    create_issue(&server, &json!({ "title": "Two" }));
    assert_eq!(messages(&server).len(), 1);
    server
        .admin()
        .post(&format!("{one}/test/issues_events"), &json!({}))
        .expect(422);

    let channel = format!("{}/{}", channels(&server), created["id"]);
    let kept = json!({ "url": created["url"], "description": "kept" });
    server.admin().put(&one, &kept).expect(200);
    assert_eq!(server.admin().get(&channel).expect(200)["has_secret"], true);
    let moved = json!({ "url": format!("{}/other", receiver.url()) });
    server.admin().put(&one, &moved).expect(200);
    let shown = server
        .admin()
        .put(&channel, &json!({ "active": true }))
        .expect(200);
    assert_eq!(shown["has_secret"], false);
    receiver.always("/other", "text/plain", "thanks");
    create_issue(&server, &json!({ "title": "Three" }));
    wait_for_messages(&server, &[("hook.issue", "failed"), ("hook.issue", "sent")]);
    let request = receiver.requests().remove(1);
    assert!(
        !request.to_lowercase().contains("x-gitlab-token"),
        "{request}"
    );
}

#[test]
fn a_long_description_is_cut() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    hook(&server, &receiver, &json!({ "issues_events": true }));
    let description = "\u{e4}".repeat(300_000);
    create_issue(
        &server,
        &json!({ "title": "Long", "description": description }),
    );
    wait_for_messages(&server, &[("hook.issue", "sent")]);
    let request = receiver.requests().remove(0);
    assert!(request.len() < 70_000, "{}", request.len());
    let sent = body(&request);
    let text = sent["object_attributes"]["description"].as_str().unwrap();
    assert!(text.len() > 10_000 && text.ends_with('\u{2026}'));
}

#[test]
fn a_hook_is_edited_and_tested_on_its_page() {
    const PAGE: &str = "/acme/web-shop/-/settings/notifications";
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/hook", "text/plain", "thanks");
    let created = hook(&server, &receiver, &json!({ "token": "s3cret" }));
    let mut admin = server.signed_in("admin");
    assert!(admin.open(PAGE).expect_text(200).contains("Project hook"));
    let one = format!("{PAGE}/{}", created["id"]);
    let shown = admin.open(&one).expect_text(200);
    assert!(
        shown.contains("A token is stored") && !shown.contains("s3cret"),
        "{shown}"
    );
    assert!(!shown.contains("Quiet hours"), "{shown}");
    let fields = [
        ("event", "settings"),
        ("name", "Bot"),
        ("url", created["url"].as_str().unwrap()),
        ("description", "Triage"),
        ("issue_events", "1"),
        ("alert_events", "1"),
        ("hourly_limit", "500"),
    ];
    let changed = admin.submit(&one, &one, &fields);
    assert_eq!(
        changed.header("location"),
        Some(one.as_str()),
        "{}",
        changed.text()
    );
    let hook = format!("{}/{}", hooks(&server), created["id"]);
    let hook = server.admin().get(&hook).expect(200);
    for (field, value) in [
        ("name", json!("Bot")),
        ("description", json!("Triage")),
        ("issues_events", json!(true)),
        ("note_events", json!(false)),
        ("alert_events", json!(true)),
    ] {
        assert_eq!(hook[field], value, "{field}");
    }
    create_issue(&server, &json!({ "title": "<b>Broken" }));
    let test = [("event", "test"), ("trigger", "issues_events")];
    let tested = admin.submit(&one, &one, &test);
    assert_eq!(tested.header("location"), Some(one.as_str()));
    wait_for_messages(&server, &[("hook.issue", "sent"); 2]);
    assert_eq!(header(&receiver.requests()[0], "x-gitlab-token"), "s3cret");
    let shown = admin.open(&one).expect_text(200);
    assert!(
        shown.contains("Issue event") && !shown.contains("<b>Broken"),
        "{shown}"
    );
    let test = [("event", "test"), ("trigger", "confidential_issues_events")];
    let refused = admin.submit(&one, &one, &test);
    assert_eq!(refused.status, 422, "{}", refused.text());
}
