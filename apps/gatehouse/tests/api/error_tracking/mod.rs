//! `/api/v4/projects/:id/error_tracking` and the collector.

mod acknowledged;
mod changes;
mod client_keys;
mod collector;
mod errors;
mod external;
mod guesses;
mod hostile;
mod limits;
mod monitors;
mod samples;
mod settings;
mod web_api;

use serde_json::{Value, json};

use crate::support::{TestResponse, TestServer};

/// A path below the error tracking of the sample project.
fn below(server: &TestServer, rest: &str) -> String {
    server.below_project(&format!("/error_tracking{rest}"))
}

/// An event with an exception of this type, in a frame of the program.
fn event(kind: &str) -> Value {
    json!({
        "platform": "python",
        "exception": {"values": [{"type": kind, "value": "it failed", "stacktrace": {"frames": [
            {"filename": "shop.py", "function": kind, "lineno": 7, "in_app": true},
        ]}}]},
    })
}

/// The error whose title begins with this, listed as a Developer in any state.
#[track_caller]
fn error(server: &TestServer, title: &str) -> Value {
    let path = below(server, "/errors?status=all&per_page=100");
    let found = server.developer().get(&path).list().into_iter();
    let mut found = found.filter(|error| error["title"].as_str().unwrap().starts_with(title));
    found.next().unwrap()
}

/// The path of an error.
fn path_of(server: &TestServer, error: &Value) -> String {
    below(server, &format!("/errors/{}", error["iid"]))
}

/// Sends an event, and returns its error.
#[track_caller]
fn report(server: &TestServer, kind: &str) -> Value {
    server.tracker().store(&event(kind)).expect(200);
    error(server, kind)
}

/// Asserts the response to an SDK: its status, and a message in the body and in the header that SDKs read. Returns the
/// message.
#[track_caller]
fn assert_refused(answer: &TestResponse, status: u16) -> String {
    let body = answer.expect(status);
    let detail = body["detail"].as_str().unwrap();
    assert_eq!(answer.header("X-Sentry-Error"), Some(detail));
    assert_eq!(body["causes"], json!([]));
    detail.to_owned()
}
