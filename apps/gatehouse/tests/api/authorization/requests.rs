//! Valid requests of every operation: the status by method, the sources of parameters, and the pages of lists.

use actix_web::http::Method;
use serde_json::{Value, json};
use url::form_urlencoded::Serializer;
use web_conventions::operations::{Declaration, Pages};

use super::parameters::changes;
use super::samples::sample;
use super::tested_callers::AuthorizationFixture;
use super::{operations, start};
use crate::support::{TestCaller, TestResponse};

/// Operations whose status differs from that of their method, because clients of `/api/v4` know this one.
const OTHER_STATUSES: &[(&str, u16)] = &[
    ("checkIn", 202),
    ("collectEnvelope", 200),
    ("collectEvent", 200),
    ("collectNetworkErrors", 200),
    ("collectPolicyReport", 200),
    ("deleteClientKey", 200),
    ("listAlertPayloadFields", 200),
    ("listExternalProjects", 200),
    ("mergeError", 200),
    ("renewApplicationSecret", 200),
    ("requestJob", 204),
    ("rotateAlertIntegrationKey", 200),
    ("rotateGroupAccessToken", 200),
    ("rotateNotificationSecret", 200),
    ("rotateOwnToken", 200),
    ("rotatePersonalAccessToken", 200),
    ("rotateProjectAccessToken", 200),
    ("sendCheckIn", 202),
    ("startProjectExport", 202),
    ("stopEnvironment", 200),
    ("verifyRunner", 200),
];

/// API-06. The other tests of this directory receive the declared statuses from a server.
#[test]
fn the_status_of_a_success_follows_from_the_method() {
    for declared in operations() {
        if !declared.path.starts_with("/api/v4/") {
            continue;
        }
        let statuses: Vec<u16> = declared.responses.iter().map(|it| it.status).collect();
        let successes: Vec<u16> = statuses.into_iter().filter(|it| *it < 300).collect();
        let other = OTHER_STATUSES.iter().find(|(id, _)| *id == declared.id);
        let allowed: &[u16] = match (other, &declared.method) {
            (Some((_, status)), _) => &[*status],
            (None, &Method::POST) => &[201],
            (None, &Method::DELETE) => &[204, 202],
            (None, _) => &[200],
        };
        let is_allowed = successes.iter().all(|status| allowed.contains(status));
        assert!(is_allowed, "{}: {successes:?}", declared.id);
    }
}

/// Writes a JSON value as fields of a form: `name`, `name[]` for an array and `name[key]` for an object.
fn write_fields(name: &str, value: &Value, fields: &mut Serializer<'_, String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                write_fields(&format!("{name}[]"), item, fields);
            }
        }
        Value::Object(members) => {
            for (key, member) in members {
                write_fields(&format!("{name}[{key}]"), member, fields);
            }
        }
        Value::String(text) => drop(fields.append_pair(name, text)),
        Value::Null => drop(fields.append_pair(name, "")),
        other => drop(fields.append_pair(name, &other.to_string())),
    }
}

fn as_form(body: &serde_json::Map<String, Value>) -> String {
    let mut fields = Serializer::new(String::new());
    for (name, value) in body {
        write_fields(name, value, &mut fields);
    }
    fields.finish()
}

fn send(caller: &TestCaller, declared: &Declaration, path: &str, form: &str) -> TestResponse {
    let caller = caller
        .clone()
        .with("Content-Type", "application/x-www-form-urlencoded");
    caller.send(declared.method.as_str(), path, form.as_bytes())
}

/// API-02. The same parameters in a form and in the query have the status of the JSON body.
#[test]
fn the_parameters_of_every_change_come_in_a_form_or_in_the_query() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let mut wrong = Vec::new();
    for is_in_query in [false, true] {
        for (declared, path, body) in changes(&fixture) {
            let form = as_form(&body);
            let token = server.token("root", "api");
            let caller = TestCaller::new(server.base_url(), Some(&token));
            let answer = if is_in_query {
                let separator = if path.contains('?') { '&' } else { '?' };
                send(&caller, &declared, &format!("{path}{separator}{form}"), "")
            } else {
                send(&caller, &declared, &path, &form)
            };
            let mut successes = declared.responses.iter().map(|it| it.status);
            if !successes.any(|status| status == answer.status && status < 300) {
                let (id, status, text) = (declared.id, answer.status, answer.text());
                wrong.push(format!("{id} in the query {is_in_query}: {status} {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A deletion has parameters as well.
    let labels = server.below_project("/labels");
    let admin = server.admin();
    for (path, media_type, body) in [
        (format!("{labels}?name=a"), "application/json", ""),
        (labels.clone(), "application/json", r#"{"name":"a"}"#),
        (
            labels.clone(),
            "application/x-www-form-urlencoded",
            "name=a",
        ),
    ] {
        let label = json!({ "name": "a", "color": "#fff" });
        admin.post(&labels, &label).expect(201);
        let caller = admin.clone().with("Content-Type", media_type);
        let deleted = caller.send("DELETE", &path, body.as_bytes());
        assert_eq!(deleted.status, 204, "{path} {body}: {}", deleted.text());
    }
}

/// PAGE-01.
#[test]
fn every_list_has_pages_of_20_rows_and_at_most_100() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let mut wrong = Vec::new();
    let lists = operations().into_iter();
    let lists = lists.filter(|it| it.pages != Pages::None && it.path.starts_with("/api/v4/"));
    for declared in lists {
        let path = sample(&fixture, declared.id).unwrap().path;
        let separator = if path.contains('?') { '&' } else { '?' };
        for (query, size) in [("", "20"), ("per_page=100", "100"), ("per_page=101", "100")] {
            let answer = server.admin().get(&format!("{path}{separator}{query}"));
            let numbers = [answer.header("x-page"), answer.header("x-per-page")];
            if answer.status != 200 || numbers != [Some("1"), Some(size)] {
                wrong.push(format!("{}?{query}: {numbers:?}", declared.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
