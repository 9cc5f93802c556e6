//! The original's engine gets the same requests, and every difference is listed in the documentation.

mod difference;
mod facets;
mod listed;
mod ordered;
mod process;
mod replay;
mod requests;

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::difference::{Difference, compare};
use self::process::Oracle;
use self::replay::TestedServer;
use crate::support::TestServer;

/// The requests.
const REQUESTS: &str = include_str!("requests.jsonl");
/// The applications that both servers have.
const APPLICATIONS: &str = include_str!("applications.json");
/// The table of differences.
const KNOWN_DIFFERENCES: &str = include_str!("../../../../../docs/oauth-comparison.md");

#[test]
fn every_difference_to_the_original_engine_is_listed() {
    let applications: Value = serde_json::from_str(APPLICATIONS).unwrap();
    let Some(oracle) = Oracle::start(&applications) else {
        return;
    };
    let requests = requests::read(REQUESTS);
    let original = tested_server(&oracle.description).replay(&requests);
    let server = TestServer::start();
    let ours = tested_server(&described(&server, &applications)).replay(&requests);
    let differences = compare(&ours, &original);
    let rows = listed::rows(KNOWN_DIFFERENCES);
    let unlisted = listed::unlisted(&rows, &differences);
    let obsolete = listed::obsolete(&rows, &differences);
    assert!(
        unlisted.is_empty() && obsolete.is_empty(),
        "these differences are not listed:\n{}\nand these are listed, and no longer there:\n{}",
        as_rows(&unlisted),
        obsolete.join("\n"),
    );
}

/// The server under test, described in the oracle's format, with the same applications.
fn described(server: &TestServer, applications: &Value) -> Value {
    let mut created = serde_json::Map::new();
    for (name, expected) in applications.as_object().unwrap() {
        let text = |key: &str| expected[key].as_str().unwrap();
        let uris = expected["redirect_uris"].as_array().unwrap();
        let uris: Vec<&str> = uris.iter().map(|uri| uri.as_str().unwrap()).collect();
        let is_confidential = expected["confidential"] == true;
        let application =
            server.create_application(text("name"), &uris, text("scopes"), is_confidential);
        let id = &application["client_id"];
        let secret = &application["client_secret"];
        created.insert(name.clone(), json!({ "id": id, "secret": secret }));
    }
    json!({
        "base_url": server.base_url(),
        "user": {
            "login": server.text("/developer/username"),
            "password": server.text("/developer/password"),
        },
        "applications": created,
    })
}

/// Creates a subject from a description in the oracle's format.
fn tested_server(description: &Value) -> TestedServer {
    let mut values = BTreeMap::new();
    let mut keep = |prefix: &str, object: &Value| {
        for (key, value) in object.as_object().unwrap() {
            let value = value.as_str().unwrap_or_default();
            values.insert(format!("{prefix}.{key}"), value.to_owned());
        }
    };
    keep("user", &description["user"]);
    for (name, application) in description["applications"].as_object().unwrap() {
        keep(name, application);
    }
    TestedServer::new(description["base_url"].as_str().unwrap(), values)
}

/// Rows for the table, without their reasons.
fn as_rows(differences: &[&Difference]) -> String {
    let rows = differences.iter().map(|difference| {
        let Difference {
            request,
            facet,
            ours,
            original,
        } = difference;
        format!("| `{request}` | {facet} | `{ours}` | `{original}` | WHY |")
    });
    rows.collect::<Vec<_>>().join("\n")
}
