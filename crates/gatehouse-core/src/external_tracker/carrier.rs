//! Calls of one project, with its cached responses.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::external::{Call, CallAnswer, ExternalFailure, Transport};

use super::http::Http;
use super::memory::Memory;

/// Transport for the calls of a project: recent responses come from the cache, and a change clears those of the
/// project.
#[derive(Debug)]
pub struct Carrier<'a> {
    pub(super) http: &'a Http,
    pub(super) memory: &'a Memory,
    pub(super) token: &'a str,
    pub(super) sealed: &'a [u8],
    pub(super) project: ProjectId,
    pub(super) now: Timestamp,
}

impl Transport for Carrier<'_> {
    fn send(&self, call: &Call) -> Result<CallAnswer, ExternalFailure> {
        let http = self.http.with(self.token);
        if call.body.is_some() {
            // Cached responses may be wrong now, whether the change succeeds or its response is lost.
            let answer = http.send(call);
            self.memory.forget(self.project);
            return answer;
        }
        let place = (self.project, call.url.as_str());
        if let Some(known) = self.memory.recall(place, self.sealed, self.now) {
            return known;
        }
        let answer = http.send(call);
        self.memory
            .remember(place, self.sealed, self.now, answer.clone());
        answer
    }
}
