//! Messages to users about what is assigned to them, and what mentions them.

use notifications::model::MessageState;
use serde_json::{Value, json};

use super::delivery::body;
use super::{LOCAL, server};
use crate::audit_events::member;
use crate::support::fake_service::FakeService;
use crate::support::mail_server::MailServer;
use crate::support::polling::eventually;
use crate::support::rows::number;
use crate::support::{TestCaller, TestServer};

const OWN: &str = "/api/v4/user/notification_channels";

/// A webhook of a user, to a path of a receiver.
fn own_webhook(user: &TestCaller, receiver: &FakeService, path: &str, more: &Value) -> Value {
    let url = format!("{}{path}", receiver.url());
    let mut channel = json!({ "kind": "webhook", "name": "Phone", "url": url });
    let fields = channel.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    user.post(OWN, &channel).expect(201)
}

/// Types and titles of the messages that a path of a receiver got, once there are this many.
fn received(receiver: &FakeService, path: &str, count: usize) -> Vec<Value> {
    eventually("the messages arrive", || {
        let requests = receiver.requests();
        let here = requests.iter().filter(|request| {
            let line = request.lines().next().unwrap_or_default();
            line.contains(&format!("{path} "))
        });
        let bodies: Vec<Value> = here.map(|request| body(request)).collect();
        (bodies.len() >= count).then_some(bodies)
    })
}

fn types(bodies: &[Value]) -> Vec<&str> {
    bodies
        .iter()
        .map(|body| body["type"].as_str().unwrap())
        .collect()
}

fn id_of(server: &TestServer, role: &str) -> Value {
    server.demo[role]["id"].clone()
}

fn create_issue(author: &TestCaller, server: &TestServer, issue: &Value) -> Value {
    author
        .post(&server.below_project("/issues"), issue)
        .expect(201)
}

#[test]
fn users_hear_of_what_others_assign_to_them() {
    let (server, receiver) = (server(), FakeService::start());
    let developer = server.developer();
    receiver.always("/phone", "text/plain", "ok");
    own_webhook(
        &developer,
        &receiver,
        "/phone",
        &json!({ "minimum_severity": "critical" }),
    );
    let id = id_of(&server, "developer");
    // One's own assignments are no news.
    let own = json!({ "title": "Mine", "assignee_ids": [id] });
    create_issue(&developer, &server, &own);
    let issue = json!({ "title": "Rotate the keys", "assignee_ids": [id] });
    let issue = create_issue(&server.admin(), &server, &issue);
    let path = server.below_project(&format!("/issues/{}", issue["iid"]));
    // An assignee who stays hears nothing.
    let renamed = json!({ "title": "Rotate all keys", "assignee_ids": [id] });
    server.admin().put(&path, &renamed).expect(200);
    let alert = server.below_project("/alert_management_alerts/1");
    server
        .admin()
        .put(&alert, &json!({ "assignee_id": id }))
        .expect(200);
    let title = server.admin().get(&alert).expect(200)["title"].clone();
    let bodies = received(&receiver, "/phone", 2);
    assert_eq!(types(&bodies), ["issue.assigned", "alert.assigned"]);
    let issue_sent = &bodies[0]["data"]["issue"];
    assert_eq!(issue_sent["title"], "Rotate the keys");
    assert_eq!(issue_sent["web_url"], issue["web_url"]);
    assert_eq!(bodies[1]["data"]["alert"]["title"], title);
    let off = json!({ "assignment_events": false });
    let channel = developer.get(OWN).list().remove(0);
    assert_eq!(channel["assignment_events"], json!(true));
    let channel = format!("{OWN}/{}", channel["id"]);
    assert_eq!(
        developer.put(&channel, &off).expect(200)["assignment_events"],
        json!(false)
    );
    let another = json!({ "title": "Another", "assignee_ids": [id] });
    create_issue(&server.admin(), &server, &another);
    let sent = developer.get(&format!("{channel}/messages")).list();
    assert_eq!(sent.len(), 2, "{sent:?}");
}

#[test]
fn users_hear_of_texts_that_mention_them_if_they_may_read_them() {
    let (server, receiver) = (server(), FakeService::start());
    let (developer, reporter) = (server.developer(), server.reporter());
    let (guest, _) = member(&server, &server.below_project(""), "guest", 10);
    for (user, path) in [
        (&developer, "/developer"),
        (&reporter, "/reporter"),
        (&guest, "/guest"),
    ] {
        receiver.always(path, "text/plain", "ok");
        own_webhook(user, &receiver, path, &json!({}));
    }
    let names = [
        server.name_of("developer"),
        server.name_of("reporter"),
        "guest".to_owned(),
    ];
    let everybody = names.map(|name| format!("@{name}")).join(" and ");
    let admin = server.admin();
    let issue = json!({ "title": "Disk", "description": format!("Please look, {everybody}.") });
    let issue = create_issue(&admin, &server, &issue);
    let notes = server.below_project(&format!("/issues/{}/notes", issue["iid"]));
    let note = json!({ "body": format!("{everybody}: done?") });
    let note = admin.post(&notes, &note).expect(201);
    let internal = json!({ "body": format!("Between us, {everybody}"), "internal": true });
    admin.post(&notes, &internal).expect(201);
    let secret = json!({ "title": "Leak", "description": &everybody, "confidential": true });
    create_issue(&admin, &server, &secret);
    let comments = server.below_project("/alert_management_alerts/1/notes");
    admin
        .post(&comments, &json!({ "body": &everybody }))
        .expect(201);
    // A text that is changed tells those whom it did not mention before.
    let path = server.below_project(&format!("/issues/{}", issue["iid"]));
    let changed = json!({ "description": format!("Thank you, {everybody}.") });
    admin.put(&path, &changed).expect(200);
    let to_developer = received(&receiver, "/developer", 5);
    let to_reporter = received(&receiver, "/reporter", 4);
    let to_guest = received(&receiver, "/guest", 2);
    assert_eq!(
        [to_developer.len(), to_reporter.len(), to_guest.len()],
        [5, 4, 2]
    );
    assert_eq!(types(&to_guest), ["mention"; 2]);
    let comment = &to_guest[1]["data"]["issue"];
    let anchor = format!("{}#note_{}", issue["web_url"].as_str().unwrap(), note["id"]);
    assert_eq!(comment["web_url"], json!(anchor));
    assert_eq!(comment["description"], note["body"]);
    assert_eq!(
        to_developer[4]["data"]["alert"]["description"],
        json!(everybody)
    );
}

#[test]
fn users_without_channels_get_mail_if_the_server_sends_any() {
    let mail = MailServer::start();
    let server = TestServer::start_configured(&mail.configuration());
    let issue = json!({ "title": "Keys", "assignee_ids": [id_of(&server, "developer")] });
    create_issue(&server.admin(), &server, &issue);
    let sent = mail.wait_for(1);
    let subject = sent[0].header("Subject");
    assert!(subject.ends_with("#1 is yours: Keys"), "{subject}");
    assert_eq!(
        sent[0].to,
        server.developer().get("/api/v4/user").json()["email"]
    );
    let without = TestServer::start_configured(LOCAL);
    let issue = json!({ "title": "Keys", "assignee_ids": [id_of(&without, "developer")] });
    create_issue(&without.admin(), &without, &issue);
    let cancelled = format!(
        "SELECT count(*) FROM notification_messages WHERE state = {}",
        MessageState::NoMail.number()
    );
    eventually("the message is cancelled", || {
        (number(&without, &cancelled) == 1).then_some(())
    });
    // The messages of a project are not those to people.
    assert_eq!(super::messages(&without).len(), 0);
}

#[test]
fn a_message_to_somebody_who_is_no_longer_assigned_is_cancelled() {
    let (server, receiver) = (server(), FakeService::start());
    let developer = server.developer();
    receiver.queue_response(503, "", b"later");
    let channel = own_webhook(&developer, &receiver, "/phone", &json!({}));
    let issue = json!({ "title": "Keys", "assignee_ids": [id_of(&server, "developer")] });
    let issue = create_issue(&server.admin(), &server, &issue);
    received(&receiver, "/phone", 1);
    let path = server.below_project(&format!("/issues/{}", issue["iid"]));
    let nobody = json!({ "assignee_ids": [] });
    server.admin().put(&path, &nobody).expect(200);
    let messages = format!("{OWN}/{}/messages", channel["id"]);
    eventually("the message is cancelled", || {
        let message = developer.get(&messages).list().remove(0);
        let ended = (message["state"].as_str(), message["reason"].as_str());
        (ended == (Some("cancelled"), Some("obsolete"))).then_some(())
    });
    assert_eq!(receiver.requests().len(), 1);
    let page = format!("/profile/notifications/{}", channel["id"]);
    let shown = server.signed_in("developer").open(&page).expect_text(200);
    assert!(shown.contains("It was no longer of use"), "{shown}");
}

/// An acknowledgement cancels what a channel has to say of an alert, and it stays the user's alert.
#[test]
fn an_acknowledged_alert_is_still_announced_to_its_assignee() {
    let (server, receiver) = (server(), FakeService::start());
    let developer = server.developer();
    receiver.queue_response(503, "", b"later");
    receiver.queue_response(200, "", b"ok");
    own_webhook(&developer, &receiver, "/phone", &json!({}));
    let alert = server.below_project("/alert_management_alerts/1");
    let assigned = json!({ "assignee_id": id_of(&server, "developer") });
    server.admin().put(&alert, &assigned).expect(200);
    received(&receiver, "/phone", 1);
    let known = json!({ "status": "acknowledged" });
    server.admin().put(&alert, &known).expect(200);
    let bodies = received(&receiver, "/phone", 2);
    assert_eq!(types(&bodies), ["alert.assigned"; 2]);
}
