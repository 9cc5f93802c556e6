//! Calls of one project, with its cached responses.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::external::{Call, CallResponse, ExternalFailure, Transport};

use super::http::Http;
use super::response_cache::ResponseCache;

/// Transport for the calls of a project: recent responses come from the cache, and a change clears those of the
/// project.
#[derive(Debug)]
pub struct Carrier<'a> {
    pub(super) http: &'a Http,
    pub(super) cache: &'a ResponseCache,
    pub(super) token: &'a str,
    pub(super) sealed: &'a [u8],
    pub(super) project: ProjectId,
    pub(super) now: Timestamp,
}

impl Transport for Carrier<'_> {
    fn send(&self, call: &Call) -> Result<CallResponse, ExternalFailure> {
        let http = self.http.with(self.token);
        if call.body.is_some() {
            // Cached responses may be wrong now, whether the change succeeds or its response is lost.
            let response = http.send(call);
            self.cache.forget(self.project);
            return response;
        }
        let address = call.url.as_str();
        let cached = self.cache.get(self.project, address, self.sealed, self.now);
        if let Some(known) = cached {
            return known;
        }
        let response = http.send(call);
        self.cache.insert(
            self.project,
            address,
            self.sealed,
            self.now,
            response.clone(),
        );
        response
    }
}
