//! Cache of recent tracker responses, so that users who view the same list share one call.

use std::sync::Arc;

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::external::{CallAnswer, ExternalFailure};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Seconds for which a response is cached.
const ANSWER_SECONDS: i64 = 60;
/// Seconds for which a failure is cached. Otherwise every page would wait for a tracker that is down.
const FAILURE_SECONDS: i64 = 10;
/// Maximum size of the cached responses, in bytes.
const BYTES: u64 = 16 << 20;
/// Expected number of cached responses.
const ANSWERS: usize = 1000;

/// Cached responses by project and address.
#[derive(Debug)]
pub(super) struct Memory(Cache<(ProjectId, String), Known, ByBytes>);

/// A cached response.
#[derive(Debug, Clone)]
struct Known {
    until: Timestamp,
    /// Sealed token that the call used. Saved settings have another token or another address.
    sealed: Arc<[u8]>,
    answer: Arc<Result<CallAnswer, ExternalFailure>>,
}

/// Weighs responses by their size.
#[derive(Debug, Clone)]
struct ByBytes;

impl Weighter<(ProjectId, String), Known> for ByBytes {
    fn weight(&self, (_, address): &(ProjectId, String), known: &Known) -> u64 {
        let body = known.answer.as_ref().as_ref();
        let body = body.map_or(0, |answer| answer.body.len());
        (address.len() + known.sealed.len() + body + 200) as u64
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self(Cache::with_weighter(ANSWERS, BYTES, ByBytes))
    }
}

impl Memory {
    /// Returns a recent response to a call with the same token.
    pub(super) fn recall(
        &self,
        (project, address): (ProjectId, &str),
        sealed: &[u8],
        now: Timestamp,
    ) -> Option<Result<CallAnswer, ExternalFailure>> {
        let known = self.0.get(&(project, address.to_owned()))?;
        let is_good = known.until > now && *known.sealed == *sealed;
        is_good.then(|| known.answer.as_ref().clone())
    }

    /// Caches a response or a failure. `Busy`, which concerns only this call, is not cached.
    pub(super) fn remember(
        &self,
        (project, address): (ProjectId, &str),
        sealed: &[u8],
        now: Timestamp,
        answer: Result<CallAnswer, ExternalFailure>,
    ) {
        let seconds = match &answer {
            Ok(_) => ANSWER_SECONDS,
            Err(ExternalFailure::Busy) => return,
            Err(_) => FAILURE_SECONDS,
        };
        let known = Known {
            until: now.plus_seconds(seconds),
            sealed: sealed.into(),
            answer: Arc::new(answer),
        };
        self.0.insert((project, address.to_owned()), known);
    }

    /// Removes all cached responses of a project.
    pub(super) fn forget(&self, project: ProjectId) {
        self.0.retain(|(of, _), _| *of != project);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(body: &str) -> CallAnswer {
        CallAnswer {
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
        let memory = Memory::default();
        let [read, failed] = ["https://t.example/a", "https://t.example/b"];
        let project = ProjectId::new(1);
        memory.remember((project, read), TOKEN, now(), Ok(answer("x")));
        let failure = Err(ExternalFailure::TimedOut);
        memory.remember((project, failed), TOKEN, now(), failure.clone());
        let at = |address, seconds| {
            let later = now().plus_seconds(seconds);
            memory.recall((project, address), TOKEN, later)
        };
        assert_eq!(at(read, 59), Some(Ok(answer("x"))));
        assert_eq!(at(read, 60), None);
        assert_eq!(at(failed, 9), Some(failure));
        assert_eq!(at(failed, 10), None);
    }

    #[test]
    fn another_project_another_token_and_a_change_have_to_ask_again() {
        let memory = Memory::default();
        let address = "https://t.example/a";
        let [one, other] = [1, 2].map(ProjectId::new);
        for project in [one, other] {
            let place = (project, address);
            memory.remember(place, TOKEN, now(), Ok(answer("x")));
        }
        let third = (ProjectId::new(3), address);
        assert_eq!(memory.recall(third, TOKEN, now()), None);
        assert_eq!(memory.recall((one, address), b"another", now()), None);
        memory.forget(one);
        assert_eq!(memory.recall((one, address), TOKEN, now()), None);
        assert!(memory.recall((other, address), TOKEN, now()).is_some());
    }
}
