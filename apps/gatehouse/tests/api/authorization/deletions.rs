//! Conditional deletions (`API-15`): a table of all `DELETE` operations of the document, each sent with a date before
//! the last change of its target and with one after it.

use serde_json::{Value, json};

use super::samples::{SampleRequest, sample};
use super::tested_callers::AuthorizationFixture;
use crate::support::TestCaller;
use crate::support::rows::number;

const LONG_AGO: &str = "Sat, 01 Jan 2000 00:00:00 GMT";
const LATER: &str = "Fri, 01 Jan 2100 00:00:00 GMT";

/// Ids of the `DELETE` operations of the API in the document. Those of another protocol follow its rules.
fn deletions(document: &Value) -> Vec<String> {
    let paths = document["paths"].as_object().unwrap();
    let of_api = paths
        .iter()
        .filter(|(path, _)| path.starts_with("/api/"))
        .map(|(_, operations)| operations);
    let deletions = of_api.filter_map(|path| path.get("delete"));
    let id = |operation: &Value| operation["operationId"].as_str().unwrap().to_owned();
    deletions.map(id).collect()
}

/// True if the document names the condition and the refusal of an operation.
fn is_declared(document: &Value, id: &str) -> bool {
    let paths = document["paths"].as_object().unwrap().values();
    let found = paths
        .filter_map(|path| path.get("delete"))
        .find(|operation| operation["operationId"] == id)
        .unwrap();
    let mut parameters = found["parameters"].as_array().unwrap().iter();
    let is_condition = |parameter: &Value| {
        parameter["in"] == "header" && parameter["name"] == "If-Unmodified-Since"
    };
    parameters.any(is_condition) && found["responses"].get("412").is_some()
}

/// API-15.
#[test]
fn every_deletion_honors_if_unmodified_since() {
    let server = super::start();
    let fixture = AuthorizationFixture::of(&server);
    let document = server.developer().get("/api/v4/openapi.json").expect(200);
    let ids = deletions(&document);
    assert!(ids.len() >= 15, "{ids:?}");
    let mut wrong = Vec::new();
    for id in &ids {
        if !is_declared(&document, id) {
            wrong.push(format!("{id} does not declare its condition"));
        }
        let Some(SampleRequest { path, .. }) = sample(&fixture, id) else {
            wrong.push(format!("{id} has no sample request"));
            continue;
        };
        // One of the operations deletes the token of the request.
        let token = server.token("root", "api");
        let seen = |date: &str| {
            let caller = TestCaller::new(server.base_url(), Some(&token));
            caller.with("If-Unmodified-Since", date).delete(&path)
        };
        let before = number(&server, super::WRITE_COUNT);
        let refused = seen(LONG_AGO);
        let body = json!({ "message": "412 Precondition Failed" });
        if refused.status != 412 || refused.json() != body {
            wrong.push(format!("{id}: {} {}", refused.status, refused.text()));
        } else if number(&server, super::WRITE_COUNT) != before {
            wrong.push(format!("{id}: 412, and yet something was written"));
        }
        let deleted = seen(LATER).status;
        if ![200, 202, 204].contains(&deleted) {
            wrong.push(format!("{id}: {deleted} on a condition that holds"));
        }
        let again = seen(LATER).status;
        // A revoked token is still listed, and revoking it again changes nothing.
        let stays = id.starts_with("revoke") && id.ends_with("AccessToken")
            || id == "revokeImpersonationToken";
        let is_right = if stays {
            again == 204
        } else if id == "deleteRunnerByToken" {
            again == 403
        } else if id == "deleteRegistryTags" {
            // The rule deletes tags, not the target.
            again == 400
        } else {
            [401, 404].contains(&again)
        };
        if !is_right {
            wrong.push(format!("{id}: {again} for what was deleted"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
