//! Recordings of browsers and proxies (HAR 1.2).
//!
//! Programs write them with missing parts and parts of the wrong type, so each part is read separately and is ignored
//! if it is not as specified.

use api_conventions::params::Params;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::call::{RecordedCall, RecordedResponse, fields, has_body, method, pairs, query_of};
use super::checker::CallChecker;
use super::encoded;

/// A request and its response (HAR 1.2, `entries`). Headers and cookies are not read: they hold credentials.
#[derive(Default, Deserialize)]
#[serde(default)]
struct HarEntry {
    #[serde(deserialize_with = "leniently")]
    request: HarRequest,
    #[serde(deserialize_with = "leniently")]
    response: HarResponse,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HarRequest {
    #[serde(deserialize_with = "leniently")]
    method: String,
    #[serde(deserialize_with = "leniently")]
    url: String,
    #[serde(deserialize_with = "leniently")]
    query_string: Vec<HarPair>,
    #[serde(deserialize_with = "leniently")]
    post_data: Option<HarPostData>,
    #[serde(deserialize_with = "leniently")]
    body_size: i64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HarPair {
    #[serde(deserialize_with = "leniently")]
    name: String,
    #[serde(deserialize_with = "leniently")]
    value: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HarPostData {
    #[serde(deserialize_with = "leniently")]
    mime_type: String,
    #[serde(deserialize_with = "leniently")]
    text: String,
    #[serde(deserialize_with = "leniently")]
    params: Vec<HarPair>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HarResponse {
    #[serde(deserialize_with = "leniently")]
    status: u16,
    #[serde(deserialize_with = "leniently")]
    content: HarContent,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct HarContent {
    #[serde(deserialize_with = "leniently")]
    mime_type: String,
    #[serde(deserialize_with = "leniently")]
    text: Option<String>,
    #[serde(deserialize_with = "leniently")]
    encoding: String,
}

/// Deserializes a part, or returns its default if it is of the wrong type.
fn leniently<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + DeserializeOwned,
    D: Deserializer<'de>,
{
    let value = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(value).unwrap_or_default())
}

/// Checks all entries of a recording.
pub(super) fn read(entries: Vec<Value>, checker: &mut CallChecker<'_, '_>) {
    for (position, entry) in (1..).zip(entries) {
        let entry: HarEntry = serde_json::from_value(entry).unwrap_or_default();
        match method(&entry.request.method).filter(|_| !entry.request.url.is_empty()) {
            Some(method) => checker.call(&call(&entry, method, position)),
            None => checker.findings.add_unread(position),
        }
    }
}

fn call(entry: &HarEntry, method: String, position: u64) -> RecordedCall<'_> {
    let request = &entry.request;
    let query = match query_of(&request.url) {
        Some(query) => pairs(query),
        None => decoded(&request.query_string),
    };
    let post_data = request.post_data.as_ref();
    let body = post_data.and_then(HarPostData::parameters);
    let text = post_data.map(|post_data| post_data.text.as_str());
    let has_other_body = match post_data {
        Some(post_data) => body.is_none() && !post_data.text.is_empty(),
        None => request.body_size > 0,
    };
    RecordedCall {
        response: entry.response.recorded(&method),
        target: &request.url,
        parameters: query.merged(body.unwrap_or_default()),
        shows_parameters: !(has_other_body && has_body(&method)),
        body: text.filter(|text| !text.is_empty()),
        method,
        position,
    }
}

fn decoded(pairs: &[HarPair]) -> Params {
    let pairs = pairs.iter();
    let pairs = pairs.map(|pair| (pair.name.clone(), pair.value.clone()));
    fields(&pairs.collect::<Vec<_>>())
}

impl HarPostData {
    /// Parses the parameters in a body; `None` if its type has no parameters, or it is malformed.
    fn parameters(&self) -> Option<Params> {
        let kind = self.mime_type.to_ascii_lowercase();
        let text = self.text.trim_ascii_start();
        if kind.contains("json") || kind.is_empty() && text.starts_with('{') {
            Params::from_json(self.text.as_bytes()).ok()
        } else if !self.params.is_empty() {
            Some(decoded(&self.params))
        } else if kind.starts_with("application/x-www-form-urlencoded") {
            Some(pairs(text))
        } else {
            None
        }
    }
}

impl HarResponse {
    fn recorded(&self, method: &str) -> RecordedResponse {
        // These responses have no body (RFC 9110, sections 9.3.2, 15.3.5 and 15.4.5), and errors have no fields of the
        // operation.
        if method == "HEAD" || matches!(self.status, 204 | 304 | 400..) {
            return RecordedResponse::Nothing;
        }
        let Some(text) = self.content.text.as_deref() else {
            return RecordedResponse::Hidden;
        };
        let is_encoded = self.content.encoding.eq_ignore_ascii_case("base64");
        let parsed = if is_encoded {
            encoded::decode(text).and_then(|bytes| serde_json::from_slice(&bytes).ok())
        } else {
            serde_json::from_str(text).ok()
        };
        let is_json = self.content.mime_type.to_ascii_lowercase().contains("json");
        match parsed {
            Some(response) => RecordedResponse::Shown(response),
            None if is_json && !text.is_empty() => RecordedResponse::Hidden,
            None => RecordedResponse::Nothing,
        }
    }
}
