//! Channels of users, and messages that are handed over to the person on call.

use std::thread;

use serde_json::{Value, json};

use super::delivery::{body, header};
use super::{LOCAL, channels, create, send, server, wait_for_messages};
use crate::database::{database, server_on};
use crate::support::TestServer;
use crate::support::fake_service::FakeService;
use crate::support::mail_server::MailServer;
use crate::support::polling::eventually;

use notifications::flow::MAX_CHANNELS;

const OWN: &str = "/api/v4/user/notification_channels";

/// A webhook of the developer.
fn own_webhook(server: &TestServer, receiver: &FakeService, more: &Value) -> Value {
    let url = format!("{}/phone", receiver.url());
    let mut channel = json!({ "kind": "webhook", "name": "Phone", "url": url });
    let fields = channel.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    server.developer().post(OWN, &channel).expect(201)
}

/// A schedule with the developer, whose turns begin on this date.
fn schedule(server: &TestServer, first_handoff: &str) -> Value {
    let developer = server.demo["developer"]["id"].clone();
    let schedule = json!({
        "name": "First line",
        "time_zone": "Europe/Berlin",
        "first_handoff": first_handoff,
        "handoff_time": "09:00",
        "participant_ids": [developer],
    });
    let schedules = server.below_project("/on_call_schedules");
    server.admin().post(&schedules, &schedule).expect(201)
}

/// A channel that hands over to the schedule.
fn on_call(server: &TestServer) -> Value {
    let channel = json!({ "kind": "on_call", "name": "On call", "recipient": "First line" });
    create(server, &channel)
}

/// Details of the attempts to send a message.
fn details(message: &Value) -> Vec<&str> {
    let attempts = message["attempts"].as_array().unwrap().iter();
    attempts
        .map(|attempt| attempt["detail"].as_str().unwrap())
        .collect()
}

#[test]
fn concurrent_requests_create_no_more_channels_than_a_user_may_have() {
    let Some(database) = database() else { return };
    let server = server_on(&database);
    let channel = |name: String| json!({ "kind": "webhook", "name": name, "url": "https://phone.example/hook" });
    let create = |name: String| server.developer().post(OWN, &channel(name)).status;
    for number in 2..=MAX_CHANNELS {
        assert_eq!(create(format!("Phone {number}")), 201);
    }
    let mut statuses: Vec<u16> = thread::scope(|scope| {
        let create = &create;
        let racing = (0..8).map(|number| scope.spawn(move || create(format!("Last {number}"))));
        let racing: Vec<_> = racing.collect();
        racing
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 400, 400, 400, 400, 400, 400, 400]);
}

#[test]
fn channels_of_users_are_seen_and_changed_by_them_alone() {
    let server = server();
    let (owner, other) = (server.developer(), server.reporter());
    let receiver = FakeService::start();
    let created = own_webhook(&server, &receiver, &json!({}));
    assert_eq!(created["project_id"], Value::Null);
    assert!(created["secret"].as_str().unwrap().starts_with("whsec_"));
    let one = format!("{OWN}/{}", created["id"]);
    assert_eq!(owner.get(OWN).list().len(), 1);
    assert_eq!(other.get(OWN).list().len(), 0);
    assert_eq!(owner.get(&one).expect(200)["name"], "Phone");
    other.get(&one).expect(404);
    other.put(&one, &json!({ "name": "Mine" })).expect(404);
    other.post(&format!("{one}/test"), &json!({})).expect(404);
    other.get(&format!("{one}/messages")).expect(404);
    other.delete(&one).expect(404);
    // An administrator of the project has no access through the project.
    let of_project = format!("{}/{}", channels(&server), created["id"]);
    server.admin().get(&of_project).expect(404);
    let taken = json!({ "kind": "ntfy", "name": "Phone", "url": "https://ntfy.example.com", "recipient": "me" });
    owner.post(OWN, &taken).expect(409);
    for (kind, more) in [
        ("on_call", "recipient"),
        ("hook", "url"),
        ("email", "recipient"),
    ] {
        let mut refused = json!({ "kind": kind, "name": "Other" });
        refused[more] = json!("a@example.com");
        owner.post(OWN, &refused).expect(400);
    }
    let changed = owner.put(&one, &json!({ "minimum_severity": "high" }));
    assert_eq!(changed.expect(200)["minimum_severity"], "high");
    owner.delete(&one).expect(204);
    assert_eq!(owner.get(OWN).list().len(), 0);
}

#[test]
fn mail_to_a_user_goes_to_the_address_of_the_account() {
    let mail = MailServer::start();
    let server = TestServer::start_configured(&mail.configuration());
    let channel = json!({ "kind": "email", "name": "Mail" });
    let created = server.developer().post(OWN, &channel).expect(201);
    let id = server.demo["developer"]["id"].clone();
    let email = json!({ "email": "new@example.com" });
    let user = format!("/api/v4/users/{id}");
    server.admin().put(&user, &email).expect(200);
    let test = format!("{OWN}/{}/test", created["id"]);
    server.developer().post(&test, &json!({})).expect(201);
    let sent = mail.wait_for(1);
    assert_eq!(sent[0].to, "new@example.com");
    let messages = format!("{OWN}/{}/messages", created["id"]);
    eventually("the message is sent", || {
        (server.developer().get(&messages).list()[0]["state"] == "sent").then_some(())
    });
}

#[test]
fn the_person_on_call_gets_an_alert_and_its_end() {
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/phone", "text/plain", "ok");
    own_webhook(&server, &receiver, &json!({}));
    schedule(&server, "2026-01-05");
    let channel = on_call(&server);
    send(&server, "a", &json!({ "severity": "high" }));
    let page = format!("/acme/web-shop/-/settings/notifications/{}", channel["id"]);
    let shown = server.signed_in("admin").open(&page).expect_text(200);
    assert!(shown.contains("value=\"First line\""), "{shown}");
    // The message to the channel of the project, and its copy.
    let sent = wait_for_messages(
        &server,
        &[("alert.opened", "sent"), ("alert.opened", "sent")],
    );
    let name = server.name_of("developer");
    assert_eq!(
        details(&sent[0]),
        [format!("handed over to @{name}: Phone")]
    );
    send(&server, "a", &json!({ "end_time": "2027-01-02T00:00:00Z" }));
    let opened = ("alert.opened", "sent");
    let resolved = ("alert.resolved", "sent");
    wait_for_messages(&server, &[opened, opened, resolved, resolved]);
    let requests = receiver.requests();
    let types: Vec<Value> = requests
        .iter()
        .map(|request| body(request)["type"].clone())
        .collect();
    assert_eq!(types, ["alert.opened", "alert.resolved"]);
    assert_ne!(
        header(&requests[0], "webhook-id"),
        header(&requests[1], "webhook-id")
    );
}

#[test]
fn an_acknowledgement_cancels_what_waits_for_the_person_on_call() {
    let (server, receiver) = (server(), FakeService::start());
    own_webhook(&server, &receiver, &json!({ "delay_minutes": 5 }));
    schedule(&server, "2026-01-05");
    on_call(&server);
    send(&server, "a", &json!({}));
    let opened = ("alert.opened", "sent");
    wait_for_messages(&server, &[opened, ("alert.opened", "queued")]);
    let alert = format!("{}/4", server.alerts());
    let acknowledged = json!({ "status": "acknowledged" });
    server.admin().put(&alert, &acknowledged).expect(200);
    wait_for_messages(&server, &[opened, ("alert.opened", "cancelled")]);
    assert_eq!(receiver.requests().len(), 0);
}

#[test]
fn a_user_without_channels_gets_mail_and_nobody_on_call_is_a_failure() {
    let mail = MailServer::start();
    let server = TestServer::start_configured(&format!("{LOCAL}{}", mail.configuration()));
    let schedule = schedule(&server, "2099-01-05");
    let channel = on_call(&server);
    let test = format!("{}/{}/test", channels(&server), channel["id"]);
    server.admin().post(&test, &json!({})).expect(201);
    let sent = wait_for_messages(&server, &[("test", "failed")]);
    assert_eq!(details(&sent[0]), ["nobody is on call"]);
    let schedules = server.below_project("/on_call_schedules");
    let one = format!("{schedules}/{}", schedule["id"]);
    let earlier = json!({ "first_handoff": "2026-01-05" });
    server.admin().put(&one, &earlier).expect(200);
    send(&server, "a", &json!({}));
    let received = mail.wait_for(1);
    assert!(received[0].text.contains("Disk a"), "{received:?}");
    assert!(received[0].text.contains("Project: "), "{received:?}");
    // A schedule that is in use stays.
    let refused = server.admin().delete(&one).expect(409);
    assert!(refused.to_string().contains("On call"), "{refused}");
    let of_project = format!("{}/{}", channels(&server), channel["id"]);
    server.admin().delete(&of_project).expect(204);
    server.admin().delete(&one).expect(204);
}

#[test]
fn a_user_creates_tests_and_deletes_a_channel_on_pages() {
    const LIST: &str = "/profile/notifications";
    let (server, receiver) = (server(), FakeService::start());
    receiver.always("/phone", "text/plain", "ok");
    let mut browser = server.signed_in("developer");
    let empty = browser.open(LIST).expect_text(200);
    assert!(empty.contains("Without a channel"), "{empty}");
    let url = format!("{}/phone", receiver.url());
    let fields = [
        ("name", "Phone"),
        ("kind", "webhook"),
        ("url", &*url),
        ("alert_events", "1"),
        ("hourly_limit", "60"),
    ];
    let created = browser.submit(LIST, LIST, &fields);
    let path = created.header("location").unwrap().to_owned();
    assert!(path.starts_with(LIST) && created.status == 303, "{path}");
    browser.submit(&path, &path, &[("event", "test")]);
    eventually("the test is sent", || {
        let text = browser.open(&path).text();
        text.contains("accepted with status 200").then_some(())
    });
    let off = browser.submit(&path, &path, &[("event", "disable")]);
    assert_eq!(off.header("location"), Some(path.as_str()));
    assert!(browser.open(&path).text().contains("Turn on"));
    let other = server.signed_in("reporter").open(&path).status;
    assert_eq!(other, 404);
    let refused = browser.submit(LIST, LIST, &[("name", "X"), ("kind", "on_call")]);
    assert_eq!(refused.status, 400);
    let deleted = browser.submit(&path, &path, &[("event", "delete")]);
    assert_eq!(deleted.header("location"), Some(LIST));
}
