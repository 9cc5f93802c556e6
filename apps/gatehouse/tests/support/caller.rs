//! The senders of requests.

use std::time::Duration;

use serde_json::Value;

use super::TestResponse;

/// Size of the buffer for responses. A response head has to fit.
const RESPONSE_BUFFER: usize = 16 << 10;

/// A sender of requests with its credentials.
#[derive(Debug, Clone)]
pub(crate) struct TestCaller {
    agent: ureq::Agent,
    base_url: String,
    headers: Vec<(String, String)>,
}

impl TestCaller {
    /// A caller with a personal access token, or none.
    pub(crate) fn new(base_url: &str, token: Option<&str>) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(Duration::from_mins(2)))
            // Each connection fills its buffer with zeros, which takes half a millisecond without optimization.
            .input_buffer_size(RESPONSE_BUFFER)
            .build();
        let headers = token.map(|token| ("PRIVATE-TOKEN".to_owned(), token.to_owned()));
        Self {
            agent: ureq::Agent::new_with_config(config),
            base_url: base_url.to_owned(),
            headers: headers.into_iter().collect(),
        }
    }

    /// A caller with a bearer credential.
    pub(crate) fn bearer(base_url: &str, token: &str) -> Self {
        Self::new(base_url, None).with("Authorization", &format!("Bearer {token}"))
    }

    /// The same caller with a further header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sends a GET.
    pub(crate) fn get(&self, path: &str) -> TestResponse {
        self.send("GET", path, b"")
    }

    /// Sends a POST of JSON.
    pub(crate) fn post(&self, path: &str, body: &Value) -> TestResponse {
        self.post_bytes(path, body.to_string().as_bytes())
    }

    /// Sends a POST of bytes, declared as JSON.
    pub(crate) fn post_bytes(&self, path: &str, body: &[u8]) -> TestResponse {
        self.clone()
            .with("Content-Type", "application/json")
            .send("POST", path, body)
    }

    /// Sends a POST of a form as `multipart/form-data`, with an optional file in the field `file`.
    pub(crate) fn post_form_data(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        file: Option<&[u8]>,
    ) -> TestResponse {
        const BOUNDARY: &str = "gate-of-the-form";
        let head = "Content-Disposition: form-data; name=";
        let mut body = Vec::new();
        for (name, value) in fields {
            let part = format!("--{BOUNDARY}\r\n{head}\"{name}\"\r\n\r\n{value}\r\n");
            body.extend_from_slice(part.as_bytes());
        }
        if let Some(bytes) = file {
            let part = format!(
                "--{BOUNDARY}\r\n{head}\"file\"; filename=\"../a.tar.gz\"\r\n\
                 Content-Type: application/gzip\r\n\r\n"
            );
            body.extend_from_slice(part.as_bytes());
            body.extend_from_slice(bytes);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        let media_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let caller = self.clone().with("Content-Type", &media_type);
        caller.send("POST", path, &body)
    }

    /// Sends a PUT of JSON.
    pub(crate) fn put(&self, path: &str, body: &Value) -> TestResponse {
        let json = self.clone().with("Content-Type", "application/json");
        json.send("PUT", path, body.to_string().as_bytes())
    }

    /// Sends a PUT of a form.
    pub(crate) fn put_form(&self, path: &str, form: &str) -> TestResponse {
        self.clone()
            .with("Content-Type", "application/x-www-form-urlencoded")
            .send("PUT", path, form.as_bytes())
    }

    /// Sends a DELETE.
    pub(crate) fn delete(&self, path: &str) -> TestResponse {
        self.send("DELETE", path, b"")
    }

    /// Sends any request. `path` starts with a slash, or is a whole URL of the same server.
    #[track_caller]
    pub(crate) fn send(&self, method: &str, path: &str, body: &[u8]) -> TestResponse {
        self.try_send(method, path, body).unwrap()
    }

    /// Sends a GET, and returns the response with the body as it arrives.
    pub(crate) fn open(&self, path: &str) -> ureq::http::Response<ureq::Body> {
        let mut request = ureq::http::Request::builder().uri(format!("{}{path}", self.base_url));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        self.agent.run(request.body(()).unwrap()).unwrap()
    }

    /// Sends a request to a server that may end before it answers.
    pub(crate) fn try_send(
        &self,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Result<TestResponse, ureq::Error> {
        let relative = path.strip_prefix(&self.base_url).unwrap_or(path);
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{relative}", self.base_url));
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        TestResponse::read(self.agent.run(request.body(body)?)?)
    }
}
