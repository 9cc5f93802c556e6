//! Sender over HTTP.

use std::io::Read as _;
use std::time::Duration;

use api_conventions::time::Timestamp;
use notifications::model::{AttemptOutcome, AttemptReport};
use notifications::rules::outcome_of_status;
use ureq::http::header::{CONNECTION, LOCATION};
use ureq::http::{HeaderMap, HeaderValue, Request};
use ureq::{Agent, Body};
use url::Url;

use super::failure::http_failure;
use super::readable::readable;
use super::retry_after::retry_after;
use crate::http_client::{self, AddressPermission};

/// Largest part of a response that is read, in bytes.
const MAX_RESPONSE: u64 = 8192;
/// Longest response to an accepted message that is kept, in characters.
const MAX_ACCEPTANCE: usize = 100;

/// Sender over HTTP, without proxies, redirects and cookies.
#[derive(Debug)]
pub(super) struct HttpSender {
    agent: Agent,
    timeout: Duration,
}

impl HttpSender {
    /// Creates the sender. `timeout` limits an attempt from name resolution to the last byte.
    pub(super) fn new(allowed: AddressPermission, timeout: Duration) -> Self {
        let config = http_client::config().timeout_global(Some(timeout));
        Self {
            agent: http_client::guarded_agent(config, allowed),
            timeout,
        }
    }

    /// Sends a request, and reports the outcome.
    ///
    /// No connection is kept: the first retry is after five seconds, when Node and others close theirs, and a request on a connection
    /// that its receiver just closes is a failed attempt.
    pub(super) fn send(&self, mut request: Request<Vec<u8>>, now: Timestamp) -> AttemptReport {
        let close = HeaderValue::from_static("close");
        request.headers_mut().insert(CONNECTION, close);
        let mut response = match self.agent.run(request) {
            Ok(response) => response,
            Err(error) => return http_failure(&error, self.timeout),
        };
        let body = beginning(response.body_mut());
        let status = response.status().as_u16();
        let outcome = outcome_of_status(status);
        let wait = retry_after(response.headers(), &body, now);
        AttemptReport {
            outcome,
            status: Some(status),
            detail: detail(status, response.headers(), &body),
            retry_after: wait.filter(|_| outcome == AttemptOutcome::Failed),
            millis: 0,
        }
    }
}

/// Reads the beginning of a response.
fn beginning(body: &mut Body) -> Vec<u8> {
    let mut read = Vec::new();
    // The status has decided the outcome. A body that breaks off is shown as far as it came.
    let _ = body.as_reader().take(MAX_RESPONSE).read_to_end(&mut read);
    read
}

/// Describes a response.
fn detail(status: u16, headers: &HeaderMap, body: &[u8]) -> String {
    match status {
        200..=299 => {
            let text = readable(body, AttemptReport::MAX_DETAIL);
            let is_short = text.chars().count() <= MAX_ACCEPTANCE;
            if is_short { text } else { String::new() }
        }
        300..=399 => {
            let location = headers.get(LOCATION).map(|value| origin(value.as_bytes()));
            let target = location.unwrap_or_else(|| "an unknown place".to_owned());
            format!("redirects are not followed ({status} to {target})")
        }
        _ => readable(body, AttemptReport::MAX_DETAIL),
    }
}

/// Returns the target of a redirect without its query, or the whole text if it is not a URL.
fn origin(location: &[u8]) -> String {
    let text = readable(location, AttemptReport::MAX_DETAIL);
    let Ok(mut url) = Url::parse(&text) else {
        return text;
    };
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
