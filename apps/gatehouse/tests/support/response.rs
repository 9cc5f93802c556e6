//! Responses of a server.

use serde_json::Value;
use ureq::Body;
use ureq::http::Response;

/// A response, read completely.
#[derive(Debug, Clone)]
pub(crate) struct TestResponse {
    /// The status code.
    pub(crate) status: u16,
    /// The headers, their names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

impl TestResponse {
    pub(super) fn read(mut response: Response<Body>) -> Result<Self, ureq::Error> {
        let headers = response.headers().iter();
        let headers = headers
            .map(|(name, value)| {
                (
                    name.as_str().to_owned(),
                    String::from_utf8_lossy(value.as_bytes()).into_owned(),
                )
            })
            .collect();
        let body = response
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_vec()?;
        Ok(Self {
            status: response.status().as_u16(),
            headers,
            body,
        })
    }

    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self
            .headers
            .iter()
            .find(|(candidate, _)| candidate.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// All values of a header.
    pub(crate) fn headers_named(&self, name: &str) -> Vec<String> {
        let found = self.headers.iter();
        let found = found.filter(|(candidate, _)| candidate.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.clone()).collect()
    }

    /// Checks the status and returns the body as text.
    #[track_caller]
    pub(crate) fn expect_text(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        self.text()
    }

    /// The body as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Checks the status and the whole body.
    #[track_caller]
    pub(crate) fn assert_is(&self, status: u16, body: &Value) {
        assert_eq!(&self.expect(status), body);
    }

    /// The body as JSON. If a refusal has the same text twice, for two kinds of clients, `message` is removed, so that
    /// tests state each sentence once; a separate test reads the body as sent.
    pub(crate) fn json(&self) -> Value {
        let mut body: Value = serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.body)));
        if self.status >= 400
            && let Some(members) = body.as_object_mut()
            && members.contains_key("message")
        {
            let text = members.get("error_description").or(members.get("error"));
            if text == members.get("message") {
                members.remove("message");
            }
        }
        body
    }

    /// The body as a JSON array.
    pub(crate) fn list(&self) -> Vec<Value> {
        self.json()
            .as_array()
            .cloned()
            .unwrap_or_else(|| panic!("no array: {self:?}"))
    }

    /// Checks that the request succeeded.
    #[track_caller]
    pub(crate) fn assert_ok(&self) {
        assert!(
            (200..300).contains(&self.status),
            "{} {}",
            self.status,
            String::from_utf8_lossy(&self.body)
        );
    }

    /// Checks the status and returns the body as JSON.
    #[track_caller]
    pub(crate) fn expect(&self, status: u16) -> Value {
        assert_eq!(
            self.status,
            status,
            "{}",
            String::from_utf8_lossy(&self.body)
        );
        if self.body.is_empty() {
            Value::Null
        } else {
            self.json()
        }
    }

    /// The URL of a relation in the `Link` header.
    pub(crate) fn link(&self, relation: &str) -> Option<String> {
        let expected = format!("rel=\"{relation}\"");
        let entry = self
            .header("link")?
            .split(", ")
            .find(|entry| entry.contains(&expected))?;
        Some(entry.split_once('>')?.0.trim_start_matches('<').to_owned())
    }
}
