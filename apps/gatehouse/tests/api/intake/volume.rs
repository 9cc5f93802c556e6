//! Many alerts in one body.

use serde_json::{Value, json};

use super::{item, receipt, webhook};
use crate::database::{database, server_on};
use crate::support::TestServer;

fn items(count: usize) -> Vec<Value> {
    (0..count)
        .map(|number| {
            let mut item = item("Flood");
            item["labels"]["instance"] = json!(format!("host-{number}"));
            item["annotations"]["summary"] = json!(format!("Flood {number}"));
            item
        })
        .collect()
}

/// Sends twenty thousand alerts in one body, twice. All of them are stored, in their order, and the repeated body
/// changes nothing.
fn flood(server: &TestServer) {
    let body = webhook(&items(20_000));
    let answer = server.sender().post(&server.metrics(), &body).expect(200);
    let response = answer.as_array().unwrap();
    assert_eq!(response.len(), 20_000);
    for (number, alert) in response.iter().enumerate() {
        assert_eq!(alert["iid"], number + 4);
        assert_eq!(alert["title"], format!("Flood {number}"));
    }
    assert_eq!(receipt(server)["created"], 20_000);
    let again = server.sender().post(&server.metrics(), &body).expect(200);
    assert_eq!(again, answer);
    let receipt = receipt(server);
    assert_eq!(
        (&receipt["created"], &receipt["repeated"]),
        (&json!(0), &json!(20_000))
    );
    let list = server.developer().get(&server.alerts());
    assert_eq!(list.list()[0]["title"], "Flood 19999");
}

/// ALRT-04, ALRT-05.
#[test]
fn twenty_thousand_alerts_come_in_one_body() {
    flood(&TestServer::start());
}

/// ALRT-04, ALRT-05.
#[test]
fn twenty_thousand_alerts_come_in_one_body_on_postgresql_too() {
    if let Some(database) = database() {
        flood(&server_on(&database));
    }
}

/// ALRT-04. A single body can also resolve all of them.
#[test]
fn a_whole_group_ends_in_one_body() {
    let server = TestServer::start();
    let firing = items(500);
    server
        .sender()
        .post(&server.metrics(), &webhook(&firing))
        .assert_ok();
    let over: Vec<Value> = firing
        .into_iter()
        .map(|mut item| {
            item["status"] = json!("resolved");
            item["endsAt"] = json!("2024-05-01T11:00:00Z");
            item
        })
        .collect();
    server
        .sender()
        .post(&server.metrics(), &webhook(&over))
        .assert_ok();
    assert_eq!(receipt(&server)["resolved"], 500);
    let open = format!("{}?status=triggered&search=Flood", server.alerts());
    let answer = server.developer().get(&open);
    assert_eq!(answer.header("x-total"), Some("0"));
}
