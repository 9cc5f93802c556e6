//! Reports of external CI systems, by release (`DEPR-07`).

use serde_json::{Value, json};

use super::{admin_at, developer_at, server_as};
use crate::support::{TestResponse, TestServer};

const COMMIT: &str = "4a1f3c0e5b6d7a8990c1b2d3e4f5a6b7c8d9e0f1";

fn refusal(answer: &TestResponse) -> String {
    answer.expect(400)["message"].as_str().unwrap().to_owned()
}

#[test]
fn the_filter_and_the_order_by_the_last_change_go_together_from_16_0_on() {
    let server = TestServer::start();
    let path = |query: &str| server.below_project(&format!("/deployments?{query}"));
    let since = "updated_after=2023-01-01T00:00:00Z";
    let until = "updated_before=2033-01-01T00:00:00Z";
    for (query, is_paired) in [
        (since.to_owned(), false),
        (until.to_owned(), false),
        ("order_by=updated_at".to_owned(), false),
        (format!("{since}&order_by=id"), false),
        (format!("{since}&order_by=updated_at"), true),
        (format!("{until}&order_by=updated_at&sort=desc"), true),
        (format!("{since}&{until}&order_by=updated_at"), true),
        ("order_by=id".to_owned(), true),
        (String::new(), true),
    ] {
        let list = |release| developer_at(&server, release).get(&path(&query));
        list("15.11").expect(200);
        if is_paired {
            list("16.0").expect(200);
        } else {
            let words =
                "400 Bad request - `updated_at` filter and `updated_at` sorting must be paired";
            assert_eq!(refusal(&list("16.0")), words, "{query}");
            assert_eq!(
                refusal(&server.developer().get(&path(&query))),
                words,
                "{query}"
            );
        }
    }
}

/// A caller without valid credentials does not learn what else is wrong with the request.
#[test]
fn invalid_credentials_return_401_before_release_checks() {
    let server = TestServer::start();
    let path = server.below_project("/environments?search=a");
    let wrong = crate::support::TestCaller::new(server.base_url(), Some("wrong"));
    wrong.get(&path).expect(401);
    server.developer().get(&path).expect(400);
}

#[test]
fn requests_that_a_later_release_rejects_return_a_sunset_header() {
    let server = server_as("15.9");
    let list = |query: &str| {
        let path = server.below_project(&format!("/deployments?{query}"));
        server.developer().get(&path)
    };
    let since = "updated_after=2023-01-01T00:00:00Z";
    let alone = list(since);
    assert_eq!(
        alone.header("sunset"),
        Some("Mon, 22 May 2023 00:00:00 GMT")
    );
    assert_eq!(
        alone.header("gatehouse-deprecated"),
        Some("15-8-deployments-updated-at")
    );
    let paired = list(&format!("{since}&order_by=updated_at"));
    assert_eq!(paired.header("sunset"), None);
    let refused =
        developer_at(&server, "16.0").get(&server.below_project(&format!("/deployments?{since}")));
    assert_eq!(refused.header("deprecation"), None, "it is gone");
    let page = refused.link("deprecation").unwrap();
    assert!(
        page.ends_with("/-/deprecations/15-8-deployments-updated-at"),
        "{page}"
    );
}

#[test]
fn a_search_for_environments_has_three_characters_from_16_0_on() {
    let server = TestServer::start();
    let environments = server.below_project("/environments");
    for name in ["production", "review/one"] {
        let created = json!({"name": name});
        server.developer().post(&environments, &created).expect(201);
    }
    let search = |release, text: &str| {
        let path = format!("{environments}?search={text}");
        developer_at(&server, release).get(&path)
    };
    assert_eq!(search("15.11", "pr").list().len(), 1);
    assert_eq!(search("16.0", "pro").list().len(), 1);
    assert_eq!(search("16.0", "").list().len(), 2);
    let short = search("16.0", "pr").expect(400);
    assert_eq!(
        short["message"]["search"],
        json!(["is too short (minimum is 3 characters)"])
    );
    let letters = search("16.0", "%C3%A4%C3%B6").expect(400);
    assert_eq!(letters, short, "characters are counted and not bytes");
}

#[test]
fn texts_of_jobs_have_255_characters_from_16_0_on() {
    let server = TestServer::start();
    let path = server.below_project(&format!("/statuses/{COMMIT}"));
    let report = |release, name: &str, value: String| {
        let mut body = json!({"state": "success", "name": "build"});
        body[name] = json!(value);
        developer_at(&server, release).post(&path, &body)
    };
    let address = |length: usize| format!("https://ci.example/{}", "a".repeat(length - 19));
    let text = |length: usize| "é".repeat(length);
    let values: [(&str, &dyn Fn(usize) -> String); 4] = [
        ("stage", &text),
        ("ref", &text),
        ("description", &text),
        ("target_url", &address),
    ];
    for (name, of_length) in values {
        report("15.11", name, of_length(256)).expect(201);
        report("16.0", name, of_length(255)).expect(201);
        let refused = report("16.0", name, of_length(256)).expect(400);
        let problem = json!(["is too long (maximum is 255 characters)"]);
        assert_eq!(refused, json!({"message": {(name): problem}}), "{name}");
    }
    for release in ["13.10", "18.0"] {
        let name = report(release, "name", "n".repeat(256)).expect(400);
        assert!(
            name["message"]["name"][0].as_str().unwrap().contains("255"),
            "{name}"
        );
    }
    let pipeline = server.below_project("/pipeline");
    let long = json!({"ref": "r".repeat(256), "sha": COMMIT});
    developer_at(&server, "15.11")
        .post(&pipeline, &long)
        .expect(201);
    let refused = developer_at(&server, "16.0")
        .post(&pipeline, &long)
        .expect(400);
    assert!(refused["message"].get("ref").is_some(), "{refused}");
}

#[test]
fn jobs_are_paged_by_their_key_since_15_9() {
    let server = TestServer::start();
    let path = server.below_project("/jobs?pagination=keyset&order_by=id&sort=desc");
    developer_at(&server, "15.9").get(&path).expect(200);
    let old = developer_at(&server, "15.8").get(&path).expect(405);
    let words = old["error"].as_str().unwrap();
    assert!(
        words.contains("Keyset pagination is not yet available"),
        "{words}"
    );
    let by_number = server.below_project("/jobs?page=1");
    developer_at(&server, "15.8").get(&by_number).expect(200);
}

/// DEPR-06.
#[test]
fn a_private_profile_is_true_or_false_and_null_only_before_16_0() {
    let server = TestServer::start();
    let me = server.developer().get("/api/v4/user").expect(200)["id"].clone();
    let path = format!("/api/v4/users/{me}");
    let put = |release, value: Value| {
        let body = json!({"private_profile": value});
        developer_at(&server, release).put(&path, &body)
    };
    let shown = |answer: TestResponse| answer.expect(200)["private_profile"].clone();
    assert_eq!(shown(put("15.11", json!(true))), true);
    let null = put("15.11", Value::Null);
    assert_eq!(null.header("sunset"), Some("Mon, 22 May 2023 00:00:00 GMT"));
    assert_eq!(shown(null), false);
    let refused = put("16.0", Value::Null);
    refused.assert_is(400, &json!({"error": "private_profile is empty"}));
    let empty = admin_at(&server, "16.0").put_form(&path, "private_profile=");
    empty.assert_is(400, &json!({"error": "private_profile is empty"}));
    for release in ["15.11", "16.0"] {
        put(release, json!("maybe"))
            .assert_is(400, &json!({"error": "private_profile is invalid"}));
        assert_eq!(shown(put(release, json!(false))), false);
    }
}
