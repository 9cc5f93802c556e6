//! HAR recordings.

use deprecations::inspect::FileFormat;
use serde_json::{Value, json};

use crate::{check, found, found_in};

fn recording(entries: &[Value]) -> String {
    json!({ "log": { "version": "1.2", "entries": entries } }).to_string()
}

fn entry(method: &str, path: &str, post_data: &Value, answer: &Value) -> Value {
    json!({
        "request": {
            "method": method,
            "url": format!("https://u:s3cret@h.example{path}"),
            "headers": [{ "name": "PRIVATE-TOKEN", "value": "s3cret" }],
            "postData": post_data,
        },
        "response": { "status": 200, "content": { "mimeType": "application/json", "text": answer.to_string() } },
    })
}

fn put(kind: &str, text: &str) -> Value {
    let body = json!({ "mimeType": kind, "text": text });
    entry("PUT", "/api/v4/lamps/1", &body, &json!({}))
}

#[test]
fn bodies_of_all_kinds_are_read() {
    let null = "15-4-null | PUT /api/v4/lamps/:id | the parameter `private` with the value `null` | 1 from 1";
    let long = "15-6-lengths | PUT /api/v4/lamps/:id | the parameter `name`, longer than 5 characters | 1 from 1";
    for entry in [
        put(
            "application/json; charset=utf-8",
            r#"{"private":null,"name":"longer"}"#,
        ),
        put("application/x-www-form-urlencoded", "private=&name=longer"),
        entry(
            "PUT",
            "/api/v4/lamps/1",
            &json!({ "mimeType": "multipart/form-data", "params": [{ "name": "private", "value": "" }, { "name": "name", "value": "longer" }] }),
            &json!({}),
        ),
        entry(
            "PUT",
            "/api/v4/lamps/1?private=&name=longer",
            &json!(null),
            &json!({}),
        ),
    ] {
        assert_eq!(found_in(&recording(&[entry])), [null, long]);
    }
    let short = put("application/json", r#"{"private":true,"name":"ünïcö"}"#);
    assert!(found_in(&recording(&[short])).is_empty());
    let unknown = put("application/octet-stream", "private=");
    assert_eq!(
        check("16.0", &recording(&[unknown])).unwrap().unclear_uses,
        1
    );
}

#[test]
fn nested_parameters_and_query_strings_are_read() {
    let body = json!({ "mimeType": "application/json", "text": r#"{"assets":{"links":[{"name":"a"},{"filepath":"/x"}]}}"# });
    let form = json!({ "mimeType": "application/x-www-form-urlencoded", "text": "assets[links][][filepath]=%2Fx" });
    for body in [body, form] {
        let found = found_in(&recording(&[entry(
            "POST",
            "/api/v4/lamps",
            &body,
            &json!({}),
        )]));
        assert_eq!(
            found,
            [
                "15-2-path | POST /api/v4/lamps | the parameter `assets[links][][filepath]` | 1 from 1"
            ]
        );
    }
    let mut listed = entry("GET", "/api/v4/lamps", &json!(null), &json!([]));
    listed["request"]["queryString"] = json!([{ "name": "filepath", "value": "x" }, { "name": "a\0", "value": "" }, { "value": 3 }]);
    assert!(found_in(&recording(&[listed]))[0].contains("the parameter `filepath`"));
}

#[test]
fn fields_of_answers_are_read() {
    let answer = json!({
        "status": "active",
        "owners": [],
        "assets": { "links": [{ "external": true }, {}] },
    });
    let report = check(
        "v5",
        &recording(&[entry("GET", "/api/v4/lamps/1", &json!(null), &answer)]),
    )
    .unwrap();
    assert_eq!(report.source, FileFormat::Har);
    assert_eq!(
        found(&report),
        [
            "15-7-links | GET /api/v4/lamps/:id | the field `assets.links.external` of the response | 1 from 1",
            "15-3-status | GET /api/v4/lamps/:id | the field `status` with the value `active` of the response | 1 from 1",
        ]
    );
    let filled = json!({ "status": "on", "owners": [1] });
    let found = found_in(&recording(&[entry(
        "GET",
        "/api/v4/lamps/1",
        &json!(null),
        &filled,
    )]));
    assert_eq!(
        found,
        ["15-7-links | GET /api/v4/lamps/:id | the field `owners` of the response | 1 from 1"]
    );
}

#[test]
fn answers_in_base64_are_read() {
    let mut encoded = entry("GET", "/api/v4/lamps", &json!(null), &json!(null));
    // [{"status":"active"}]
    encoded["response"]["content"] =
        json!({ "text": "W3sic3RhdHVzIjoiYWN0aXZlIn1d", "encoding": "base64" });
    let found = found_in(&recording(&[encoded]));
    assert_eq!(
        found,
        [
            "15-3-status | GET /api/v4/lamps | the field `status` with the value `active` of the response | 1 from 1"
        ]
    );
}

#[test]
fn names_in_queries_of_graphql_are_not_certain() {
    let graphql = |path: &str, kind: &str, text: &str| {
        let body = json!({ "mimeType": kind, "text": text });
        recording(&[entry("POST", path, &body, &json!({}))])
    };
    let query = r#"{"query":"{ lamp { external } }"}"#;
    for text in [
        graphql("/api/graphql", "application/json", query),
        graphql(
            "/git/api/graphql/",
            "application/json",
            &format!("[{query}]"),
        ),
        graphql(
            "/api/graphql",
            "application/graphql",
            "{ lamp { external } }",
        ),
        graphql("/api/graphql?query=%7Blamp%7Bexternal%7D%7D", "", ""),
    ] {
        let report = check("16.0", &text).unwrap();
        assert_eq!(
            found(&report),
            [
                "15-7-links? | POST /api/graphql | GraphQL `Lamp.external`, matched by name only | 1 from 1"
            ]
        );
        assert_eq!(report.exit_code(true), 0);
    }
    let other = r#"{"query":"{ lamp(a: \"external\") { on } } # external"}"#;
    assert!(found_in(&graphql("/api/graphql", "application/json", other)).is_empty());
}

#[test]
fn missing_or_mistyped_parts_count_as_absent() {
    let entries = [
        json!(null),
        json!("text"),
        json!({}),
        json!({ "request": null, "response": 3 }),
        json!({ "request": { "method": 1, "url": "https://h/api/v4/lamps" } }),
        json!({ "request": { "method": "BREW", "url": "/api/v4/lamps", "postData": 3 }, "response": { "status": "x" } }),
        json!({ "request": { "method": "get", "url": "/api/v4/lamps/1/changes" } }),
    ];
    let report = check("16.0", &format!("\u{feff}{}", recording(&entries))).unwrap();
    assert_eq!(
        (report.calls, report.unread, report.first_unread),
        (2, 5, Some(1))
    );
    assert_eq!(
        found(&report),
        ["15-1-changes | GET /api/v4/lamps/:id/changes | the whole operation | 1 from 7"]
    );
    assert_eq!(report.unknown[0].call, "BREW /api/v4/lamps");
}

#[test]
fn no_credential_gets_into_a_report() {
    let entries = [
        entry(
            "GET",
            "/api/v4/lamps/s3cret/changes?private_token=s3cret&access_token=s3cret",
            &json!(null),
            &json!({}),
        ),
        entry(
            "POST",
            "/api/v4/s3cret/x?job_token=s3cret",
            &json!({ "text": "token=s3cret" }),
            &json!({ "token": "s3cret" }),
        ),
        json!({ "request": { "method": "GET", "url": "https://h/api/v4/hooks/s3cret%41" } }),
    ];
    let report = check("16.0", &recording(&entries)).unwrap();
    let shown = format!(
        "{report}{report:?}{}",
        serde_json::to_string(&report).unwrap()
    );
    assert!(!shown.contains("s3cret"), "{shown}");
    assert_eq!(report.unknown.len(), 2);
}
