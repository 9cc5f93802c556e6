//! Two servers on one database.

use std::thread;

use serde_json::json;

use super::{database, server_on};
use crate::applications::{APPLICATIONS, ask_for_token, create};
use crate::intake::{item, webhook};
use crate::support::pages::column;
use crate::support::rows::HeldRows;
use crate::support::storm;
use crate::support::{TestCaller, eventually};

/// An alert is visible to everyone as soon as it is acknowledged.
#[test]
fn an_alert_accepted_by_one_server_is_visible_on_the_other() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    assert_ne!(first.base_url(), second.base_url());
    for number in 0..20 {
        let title = format!("Alert {number}");
        let (to, from) = if number % 2 == 0 {
            (&first, &second)
        } else {
            (&second, &first)
        };
        let answer = to.sender().post(&to.generic(), &json!({ "title": title }));
        let iid = answer.expect(200)[0]["iid"].clone();
        assert_eq!(from.alert(&iid)["title"], title);
    }
}

/// The migrations of a newer version whose number ends with `+` only add something, so servers can be upgraded one after the other.
#[test]
fn an_older_version_serves_beside_a_newer_one_that_only_added_something() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let added = "ALTER TABLE alerts ADD COLUMN next_word TEXT; \
        CREATE TABLE next_things (id BIGINT PRIMARY KEY, project_id BIGINT NOT NULL REFERENCES projects (id) ON DELETE CASCADE); \
        INSERT INTO next_things VALUES (1, 1); \
        INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999+')";
    HeldRows::by(database.url(), added).commit();
    let second = first.peer();
    for (number, to) in [&first, &second].into_iter().enumerate() {
        let title = format!("Alert {number}");
        let answer = to.sender().post(&to.generic(), &json!({ "title": title }));
        let iid = answer.expect(200)[0]["iid"].clone();
        assert_eq!(first.alert(&iid)["title"], title);
        assert_eq!(to.anonymous().get("/-/readiness").status, 200);
    }
    let changed = "INSERT INTO __diesel_schema_migrations (version) VALUES ('99999999999999')";
    HeldRows::by(database.url(), changed).commit();
    eventually("the older version stops serving", || {
        (first.anonymous().get("/-/readiness").status == 503).then_some(())
    });
}

/// AUTH-09. A token is revoked at one server; the other had cached it as valid.
#[test]
fn a_token_that_ends_at_one_server_ends_at_the_other() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let token = first.token("dev", "api");
    let [at_first, at_second] =
        [&first, &second].map(|server| TestCaller::new(server.base_url(), Some(&token)));
    at_first.get("/api/v4/user").assert_ok();
    at_second.get("/api/v4/user").assert_ok();
    let ended = at_first.delete("/api/v4/personal_access_tokens/self");
    assert_eq!(ended.status, 204);
    eventually("the other server refuses it", || {
        (at_second.get("/api/v4/user").status == 401).then_some(())
    });
}

/// An application is deleted at one server; the other had cached it and its token as valid.
#[test]
fn an_application_that_one_server_deletes_is_over_at_the_other() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    let created = create(&first, "Shop");
    let (id, secret) = (
        created["application_id"].as_str().unwrap(),
        created["secret"].as_str().unwrap(),
    );
    let token = ask_for_token(&second, id, secret).expect(200);
    let user = TestCaller::bearer(second.base_url(), token["access_token"].as_str().unwrap());
    user.get("/api/v4/user").assert_ok();
    let one = format!("{APPLICATIONS}/{}", created["id"]);
    assert_eq!(first.admin().delete(&one).status, 204);
    eventually("the other server refuses its token", || {
        (user.get("/api/v4/user").status == 401).then_some(())
    });
    eventually("the other server refuses the application", || {
        (ask_for_token(&second, id, secret).status == 401).then_some(())
    });
}

/// ALRT-08. The peers of a cluster of senders deliver the same alert to two servers at once.
#[test]
fn concurrent_deliveries_to_two_servers_create_one_alert() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    thread::scope(|scope| {
        for server in [&first, &second, &first, &second] {
            scope.spawn(move || {
                for number in 0..40 {
                    let body = webhook(&[item(&format!("storm {number}"))]);
                    let answer = server.sender().post(&server.metrics(), &body);
                    answer.assert_ok();
                }
            });
        }
    });
    let path = format!("{}?search=storm&per_page=100", first.alerts());
    let dev = first.developer();
    let mut titles = column(&dev, &path, "title");
    titles.sort();
    titles.dedup();
    assert_eq!(titles.len(), 40);
    assert_eq!(column(&dev, &path, "event_count"), vec!["1"; 40]);
    assert_eq!(column(&dev, &path, "delivery_count"), vec!["4"; 40]);
    let mut iids = column(&dev, &path, "iid");
    iids.sort_by_key(|iid| iid.parse::<u32>().unwrap());
    let expected: Vec<String> = (4..44).map(|iid| iid.to_string()).collect();
    assert_eq!(iids, expected);
}

/// ALRT-08. A sender retries at another server before the first one has answered: the idempotency key identifies the
/// alert.
#[test]
fn retries_with_one_idempotency_key_at_two_servers_count_once() {
    let Some(database) = database() else { return };
    let first = server_on(&database);
    let second = first.peer();
    thread::scope(|scope| {
        for server in [&first, &second, &first, &second] {
            scope.spawn(move || {
                for number in 0..20 {
                    storm::send(server, &format!("storm {number}"));
                }
            });
        }
    });
    let path = format!("{}?search=storm&per_page=100", first.alerts());
    let dev = first.developer();
    for column_of in ["event_count", "delivery_count"] {
        assert_eq!(column(&dev, &path, column_of), vec!["1"; 20], "{column_of}");
    }
    let receipts = format!("{}?per_page=1", first.below_project("/alert_receipts"));
    assert_eq!(dev.get(&receipts).header("x-total"), Some("84"));
}

/// A server dies; the other one continues with all acknowledged alerts.
#[test]
fn a_server_continues_after_its_peer_is_killed() {
    let Some(database) = database() else { return };
    let mut first = server_on(&database);
    let second = first.peer();
    let storm = storm::rage(&mut first, 4, 80, crate::support::TestServer::kill);
    let path = format!("{}?search=storm&per_page=100", second.alerts());
    let stored = column(&second.developer(), &path, "title");
    assert!(
        storm
            .acknowledged
            .iter()
            .all(|title| stored.contains(title))
    );
    second.raise(&json!({ "title": "Alone" }));
}
