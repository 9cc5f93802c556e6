//! A program that reports its errors to the sample project.

use serde_json::Value;

use super::{TestCaller, TestResponse, TestServer};

/// Reports to the collector as SDKs do.
pub(crate) struct TrackerClient {
    pub(crate) caller: TestCaller,
    /// The key in the DSN.
    pub(crate) key: String,
    /// URL of the collector, as SDKs derive it from the DSN.
    pub(crate) base: String,
}

impl TestServer {
    /// A program with the DSN of the sample project.
    pub(crate) fn tracker(&self) -> TrackerClient {
        let dsn = self.demo["tracker"]["dsn"].as_str().unwrap();
        let (key, rest) = dsn.split_once("://").unwrap().1.split_once('@').unwrap();
        let (_, path) = rest.split_once('/').unwrap();
        let (prefix, project) = path.rsplit_once('/').unwrap();
        TrackerClient {
            caller: TestCaller::new(self.base_url(), None),
            key: key.to_owned(),
            base: format!("/{prefix}/api/{project}"),
        }
    }
}

impl TrackerClient {
    /// The same program with another key.
    pub(crate) fn with_key(mut self, key: &str) -> Self {
        key.clone_into(&mut self.key);
        self
    }

    /// Sends one event to the old endpoint.
    pub(crate) fn store(&self, event: &Value) -> TestResponse {
        self.post("/store/", event.to_string().as_bytes())
    }

    /// Sends an envelope.
    pub(crate) fn envelope(&self, body: &[u8]) -> TestResponse {
        self.post("/envelope/", body)
    }

    /// Sends a body to an endpoint, with the key in the header.
    pub(crate) fn post(&self, endpoint: &str, body: &[u8]) -> TestResponse {
        self.post_with(endpoint, body, &[])
    }

    /// The same with more headers.
    pub(crate) fn post_with(
        &self,
        endpoint: &str,
        body: &[u8],
        headers: &[(&str, &str)],
    ) -> TestResponse {
        let auth = self.auth();
        let mut all = vec![("X-Sentry-Auth", auth.as_str())];
        all.extend(headers);
        self.bare(endpoint, body, &all)
    }

    /// Sends an envelope to a server that may end before it answers.
    pub(crate) fn try_envelope(&self, body: &[u8]) -> Result<TestResponse, ureq::Error> {
        let caller = self.caller.clone().with("X-Sentry-Auth", &self.auth());
        caller.try_send("POST", &format!("{}/envelope/", self.base), body)
    }

    /// Sends a body with these headers, without adding a key.
    pub(crate) fn bare(
        &self,
        endpoint: &str,
        body: &[u8],
        headers: &[(&str, &str)],
    ) -> TestResponse {
        let mut caller = self.caller.clone();
        for (name, value) in headers {
            caller = caller.with(name, value);
        }
        caller.send("POST", &format!("{}{endpoint}", self.base), body)
    }

    /// The header with the key.
    pub(crate) fn auth(&self) -> String {
        format!("Sentry sentry_key={}, sentry_version=7", self.key)
    }
}
