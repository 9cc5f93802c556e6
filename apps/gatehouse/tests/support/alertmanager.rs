//! Client of Alertmanager's API at an alert endpoint.

use api_conventions::time::Clock as _;
use gatehouse_core::clock::SystemClock;
use serde_json::{Value, json};

use super::{TestCaller, TestResponse, TestServer};

/// Returns the time this many minutes from now, as Alertmanager's clients write it.
pub(crate) fn minutes(minutes: i64) -> String {
    SystemClock.now().plus_seconds(60 * minutes).to_string()
}

/// Client of Alertmanager's API, with the token of the developer.
pub(crate) struct AlertmanagerEndpoint {
    caller: TestCaller,
    /// Client with the key of the endpoint.
    pub(crate) sender: TestCaller,
    /// Key of the endpoint.
    pub(crate) key: String,
    /// Path of the endpoint, below which the API is.
    pub(crate) below: String,
    /// Path of the endpoint over the API of the server.
    pub(crate) endpoint: String,
}

impl AlertmanagerEndpoint {
    /// Creates an endpoint and its client.
    pub(crate) fn of(server: &TestServer) -> Self {
        let all = server.below_project("/alert_management/integrations");
        let created = server.admin().post(&all, &json!({ "name": "Prometheus" }));
        let created = created.expect(201);
        let url = url::Url::parse(created["url"].as_str().unwrap()).unwrap();
        let token = server.token("dev", "api");
        let key = created["token"].as_str().unwrap();
        Self {
            caller: TestCaller::bearer(server.base_url(), &token),
            sender: TestCaller::bearer(server.base_url(), key),
            key: key.to_owned(),
            below: url.path().trim_end_matches(".json").to_owned(),
            endpoint: format!("{all}/{}", created["id"]),
        }
    }

    /// Sends a GET to a path of the API.
    pub(crate) fn get(&self, path: &str) -> TestResponse {
        self.caller.get(&format!("{}{path}", self.below))
    }

    /// Sends a POST to a path of the API.
    pub(crate) fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.caller.post(&format!("{}{path}", self.below), body)
    }

    /// Sends a DELETE to a path of the API.
    pub(crate) fn delete(&self, path: &str) -> TestResponse {
        self.caller.delete(&format!("{}{path}", self.below))
    }

    /// Posts alerts with the key of the endpoint.
    pub(crate) fn send(&self, alerts: &Value) -> TestResponse {
        self.sender
            .post(&format!("{}/api/v2/alerts", self.below), alerts)
    }

    /// Creates a silence of a few hours with these matchers, and returns its id.
    pub(crate) fn silence(&self, matchers: &Value) -> String {
        let body = json!({
            "matchers": matchers,
            "startsAt": minutes(0),
            "endsAt": minutes(180),
            "createdBy": "erin",
            "comment": "maintenance",
        });
        let stored = self.post("/api/v2/silences", &body).expect(200);
        stored["silenceID"].as_str().unwrap().to_owned()
    }
}
