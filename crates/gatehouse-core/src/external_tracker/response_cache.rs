//! Cache of recent tracker responses, so that users who view the same list share one call.

use std::sync::Arc;

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::external::{CallResponse, ExternalFailure};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Seconds for which a response is cached.
const RESPONSE_SECONDS: i64 = 60;
/// Seconds for which a failure is cached. Otherwise every page would wait for a tracker that is down.
const FAILURE_SECONDS: i64 = 10;
/// Maximum size of the cached responses, in bytes.
const BYTES: u64 = 16 << 20;
/// Expected number of cached responses.
const EXPECTED_RESPONSES: usize = 1000;

/// Cached responses by project and address.
#[derive(Debug)]
pub(super) struct ResponseCache(Cache<(ProjectId, String), CachedResponse, ByBytes>);

/// A cached response.
#[derive(Debug, Clone)]
struct CachedResponse {
    until: Timestamp,
    /// Sealed token that the call used. Saved settings have another token or another address.
    sealed: Arc<[u8]>,
    response: Arc<Result<CallResponse, ExternalFailure>>,
}

/// Weighs responses by their size.
#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<(ProjectId, String), CachedResponse> for ByBytes {
    fn weight(&self, (_, address): &(ProjectId, String), cached: &CachedResponse) -> u64 {
        let body = cached.response.as_ref().as_ref();
        let body = body.map_or(0, |response| response.body.len());
        (address.len() + cached.sealed.len() + body + 200) as u64
    }
}

impl Default for ResponseCache {
    fn default() -> Self {
        Self(Cache::with_weighter(EXPECTED_RESPONSES, BYTES, ByBytes))
    }
}

impl ResponseCache {
    /// Returns a recent response to a call with the same token.
    pub(super) fn get(
        &self,
        project: ProjectId,
        address: &str,
        sealed: &[u8],
        now: Timestamp,
    ) -> Option<Result<CallResponse, ExternalFailure>> {
        let cached = self.0.get(&(project, address.to_owned()))?;
        let is_good = cached.until > now && *cached.sealed == *sealed;
        is_good.then(|| cached.response.as_ref().clone())
    }

    /// Caches a response or a failure. `Busy`, which concerns only this call, is not cached.
    pub(super) fn insert(
        &self,
        project: ProjectId,
        address: &str,
        sealed: &[u8],
        now: Timestamp,
        response: Result<CallResponse, ExternalFailure>,
    ) {
        let seconds = match &response {
            Ok(_) => RESPONSE_SECONDS,
            Err(ExternalFailure::Busy) => return,
            Err(_) => FAILURE_SECONDS,
        };
        let cached = CachedResponse {
            until: now.plus_seconds(seconds),
            sealed: sealed.into(),
            response: Arc::new(response),
        };
        self.0.insert((project, address.to_owned()), cached);
    }

    /// Removes all cached responses of a project.
    pub(super) fn forget(&self, project: ProjectId) {
        self.0.retain(|(of, _), _| *of != project);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(body: &str) -> CallResponse {
        CallResponse {
            body: body.as_bytes().to_vec(),
            link: None,
        }
    }

    fn now() -> Timestamp {
        Timestamp::parse_rfc3339("2026-11-20T10:00:00Z").unwrap()
    }

    const TOKEN: &[u8] = b"sealed";

    #[test]
    fn an_answer_is_remembered_for_a_minute_and_a_failure_for_less() {
        let cache = ResponseCache::default();
        let [read, failed] = ["https://t.example/a", "https://t.example/b"];
        let project = ProjectId::new(1);
        cache.insert(project, read, TOKEN, now(), Ok(response("x")));
        let failure = Err(ExternalFailure::TimedOut);
        cache.insert(project, failed, TOKEN, now(), failure.clone());
        let at = |address, seconds| {
            let later = now().plus_seconds(seconds);
            cache.get(project, address, TOKEN, later)
        };
        assert_eq!(at(read, 59), Some(Ok(response("x"))));
        assert_eq!(at(read, 60), None);
        assert_eq!(at(failed, 9), Some(failure));
        assert_eq!(at(failed, 10), None);
    }

    #[test]
    fn cache_entries_are_per_project_and_token_until_invalidated() {
        let cache = ResponseCache::default();
        let address = "https://t.example/a";
        let [one, other] = [1, 2].map(ProjectId::new);
        for project in [one, other] {
            cache.insert(project, address, TOKEN, now(), Ok(response("x")));
        }
        let third = ProjectId::new(3);
        assert_eq!(cache.get(third, address, TOKEN, now()), None);
        assert_eq!(cache.get(one, address, b"another", now()), None);
        cache.forget(one);
        assert_eq!(cache.get(one, address, TOKEN, now()), None);
        assert!(cache.get(other, address, TOKEN, now()).is_some());
    }
}
