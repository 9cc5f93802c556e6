//! Two updates of different values at once: neither undoes the other.

use std::thread;

use serde_json::{Value, json};

use crate::database::{database, server_on};
use crate::support::TestServer;

/// Rounds in which two updates race.
const ROUNDS: u32 = 12;

/// Sends two updates at once, and returns the result of both.
fn race(server: &TestServer, path: &str, updates: [Value; 2]) -> Value {
    thread::scope(|scope| {
        for update in updates {
            let owner = server.admin();
            scope.spawn(move || owner.put(path, &update).expect(200));
        }
    });
    server.admin().get(path).expect(200)
}

/// Races updates of an endpoint and of the settings for incidents.
fn check(server: &TestServer) {
    let integrations = server.below_project("/alert_management/integrations");
    let first = server.admin().get(&integrations).list()[0]["id"].clone();
    let endpoint = format!("{integrations}/{first}");
    let settings = server.below_project("/incident_management_settings");
    for round in 1..=ROUNDS {
        let (label, is_on) = (format!("label-{round}"), round % 2 == 0);
        let updates = [
            json!({ "ignored_labels": [label] }),
            json!({ "stale_after": round }),
        ];
        let both = race(server, &endpoint, updates);
        assert_eq!(
            (&both["ignored_labels"], &both["stale_after"]),
            (&json!([label]), &json!(round))
        );
        let updates = [
            json!({ "template": label }),
            json!({ "create_incidents": is_on }),
        ];
        let both = race(server, &settings, updates);
        assert_eq!(
            (&both["template"], &both["create_incidents"]),
            (&json!(label), &json!(is_on))
        );
    }
}

#[test]
fn concurrent_updates_of_different_values_all_last() {
    check(&TestServer::start());
}

#[test]
fn concurrent_updates_of_different_values_all_last_on_postgresql() {
    let Some(database) = database() else { return };
    check(&server_on(&database));
}
