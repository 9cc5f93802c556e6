//! The APIs of `PagerDuty` and Opsgenie below the URL of an endpoint.

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

/// Path below which the generic endpoint of the demo answers these APIs.
const APIS: &str = "/acme/web-shop/alerts/notify/any/legacy";

fn statuses(server: &TestServer) -> Vec<(Value, Value)> {
    let alerts = server.developer().get(&server.alerts()).list();
    let new = alerts
        .into_iter()
        .filter(|alert| alert["service"] == "paged" || alert["hosts"] == json!(["paged"]));
    new.map(|alert| (alert["title"].clone(), alert["status"].clone()))
        .collect()
}

#[test]
fn events_of_pagerduty_trigger_acknowledge_and_resolve() {
    let server = TestServer::start();
    let anonymous = TestCaller::new(server.base_url(), None);
    let path = format!("{APIS}/v2/enqueue");
    let key = server.text("/alerts/key").to_owned();
    let event = |action: &str, dedup: Option<&str>| {
        let mut event = json!({ "routing_key": key, "event_action": action,
            "payload": { "summary": "Disk", "source": "paged", "severity": "error" } });
        if let Some(dedup) = dedup {
            event["dedup_key"] = json!(dedup);
        }
        event
    };
    let answer = anonymous.post(&path, &event("trigger", Some("d1")));
    assert_eq!(answer.status, 202);
    let expected = json!({ "status": "success", "message": "Event processed", "dedup_key": "d1" });
    assert_eq!(answer.json(), expected);
    for (action, status) in [
        ("acknowledge", "acknowledged"),
        ("trigger", "acknowledged"),
        ("resolve", "resolved"),
    ] {
        assert_eq!(
            anonymous.post(&path, &event(action, Some("d1"))).status,
            202
        );
        assert_eq!(
            statuses(&server),
            [(json!("Disk"), json!(status))],
            "{action}"
        );
    }
    // The person who reads the notes sees that the sender acknowledged the alert.
    let alert = &server.developer().get(&server.alerts()).list()[0];
    let notes = server
        .developer()
        .get(&format!("{}/{}/notes", server.alerts(), alert["iid"]))
        .list();
    assert!(
        notes
            .iter()
            .any(|note| note["body"] == "changed the status to **Acknowledged**"),
        "{notes:?}"
    );
    let payload = server.alert(&alert["iid"])["payload"].to_string();
    assert!(
        payload.contains("event_action") && !payload.contains("ghak_"),
        "{payload}"
    );
    // Without a key of its own, each event that triggers is another alert.
    let keys =
        [0, 1].map(|_| anonymous.post(&path, &event("trigger", None)).json()["dedup_key"].clone());
    assert!(keys[0].is_string() && keys[0] != keys[1]);
    assert_eq!(statuses(&server).len(), 3);
    for (refused, reason) in [
        (
            json!({ "routing_key": "wrong", "event_action": "trigger" }),
            "not the key of this alert endpoint",
        ),
        (
            json!({ "event_action": "trigger" }),
            "routing_key is missing",
        ),
        (json!({ "routing_key": key }), "event_action is missing"),
        (
            json!({ "routing_key": key, "event_action": "resolve" }),
            "dedup_key is missing",
        ),
        (json!([]), "not a JSON object"),
    ] {
        let answer = anonymous.post(&path, &refused);
        assert_eq!(answer.status, 400, "{refused}");
        let body = answer.json();
        assert_eq!(body["status"], "invalid event");
        assert_eq!(body["errors"][0], body["message"]);
        assert!(body["message"].as_str().unwrap().contains(reason), "{body}");
    }
    assert_eq!(statuses(&server).len(), 3);
}

#[test]
fn the_outcome_of_a_request_to_opsgenie_is_known_by_its_id() {
    let server = TestServer::start();
    let key = server.text("/alerts/key").to_owned();
    let genie = TestCaller::new(server.base_url(), None);
    let genie = genie.with("Authorization", &format!("GenieKey {key}"));
    let alerts = format!("{APIS}/v2/alerts");
    let outcome = |id: &Value| {
        let path = format!("{alerts}/requests/{}", id.as_str().unwrap());
        genie.get(&path)
    };
    let new = json!({ "message": "Disk", "alias": "d1", "source": "paged" });
    let created = genie.post(&alerts, &new).json()["requestId"].clone();
    let answer = outcome(&created);
    assert_eq!(answer.status, 200);
    let data = answer.json()["data"].clone();
    let iid = server.developer().get(&server.alerts()).list()[0]["iid"].to_string();
    assert_eq!(
        data,
        json!({ "success": true, "isSuccess": true, "action": "Create", "status": "Created alert",
            "processedAt": data["processedAt"], "integrationId": data["integrationId"], "alertId": iid, "alias": "d1" })
    );
    assert!(data["processedAt"].is_string() && answer.json()["took"].is_number());
    for (alias, action, is_success, shown, status) in [
        (
            "d1",
            "acknowledge",
            true,
            "Acknowledge",
            "Acknowledged alert",
        ),
        ("d1", "close", true, "Close", "Closed alert"),
        ("unknown", "close", false, "Close", "No open alert"),
        ("d1", "notes", false, "Other", "No open alert"),
        ("requests", "close", false, "Close", "No open alert"),
    ] {
        let path = format!("{alerts}/{alias}/{action}");
        let answer = genie.post(&path, &json!({ "source": "x" }));
        assert_eq!(answer.status, 202, "{path}");
        let answer = outcome(&answer.json()["requestId"]).json();
        let data = &answer["data"];
        assert_eq!(data["isSuccess"], is_success, "{path}: {data}");
        assert_eq!(
            (&data["action"], &data["status"]),
            (&json!(shown), &json!(status)),
            "{path}"
        );
    }
    assert_eq!(genie.get(&format!("{alerts}/d1/close")).status, 404);
    let unknown = outcome(&json!("00000000-0000-4000-8000-000000000000"));
    assert_eq!(unknown.status, 404);
    assert!(unknown.json()["message"].is_string() && unknown.json()["requestId"].is_string());
    let path = format!("{alerts}/requests/{}", created.as_str().unwrap());
    assert_eq!(
        TestCaller::new(server.base_url(), None).get(&path).status,
        401
    );
}

#[test]
fn requests_to_opsgenie_create_acknowledge_and_close() {
    let server = TestServer::start();
    let key = server.text("/alerts/key").to_owned();
    let anonymous = || TestCaller::new(server.base_url(), None);
    let genie = anonymous().with("Authorization", &format!("GenieKey {key}"));
    let alerts = format!("{APIS}/v2/alerts");
    let new = json!({ "message": "Disk", "alias": "d/1", "source": "paged", "priority": "P2" });
    let answer = genie.post(&alerts, &new);
    assert_eq!(
        (answer.status, &answer.json()["result"]),
        (202, &json!("Request will be processed"))
    );
    assert!(answer.json()["took"].is_number() && answer.json()["requestId"].is_string());
    assert_eq!(
        server.developer().get(&server.alerts()).list()[0]["severity"],
        "high"
    );
    for (action, status) in [
        ("acknowledge", "acknowledged"),
        ("notes", "acknowledged"),
        ("close", "resolved"),
    ] {
        let path = format!("{alerts}/d%2F1/{action}?identifierType=alias");
        assert_eq!(genie.post(&path, &json!({ "source": "x" })).status, 202);
        assert_eq!(
            statuses(&server),
            [(json!("Disk"), json!(status))],
            "{action}"
        );
    }
    assert_eq!(
        genie
            .put(
                &format!("{alerts}/d%2F1/message"),
                &json!({ "message": "x" })
            )
            .status,
        202
    );
    for (caller, body, status) in [
        (&anonymous(), json!({ "message": "m" }), 401),
        (
            &anonymous().with("Authorization", "GenieKey wrong"),
            json!({ "message": "m" }),
            401,
        ),
        (&genie, json!({ "alias": "a" }), 422),
        (&genie, json!([]), 422),
    ] {
        let answer = caller.post(&alerts, &body);
        assert_eq!(answer.status, status, "{body}");
        let body = answer.json();
        assert!(
            body["took"].is_number() && body["message"].is_string(),
            "{body}"
        );
    }
    assert_eq!(statuses(&server).len(), 1);
}
