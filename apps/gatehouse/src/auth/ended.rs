//! Which OAuth tokens this process has ended itself a moment ago.
//!
//! A refresh ends a pair, and happens far too often to empty the cache of all tokens each time, as a raise of the
//! authentication epoch does. So the cache believes an OAuth token for a second only, and what was ended here is
//! remembered for longer than that: in this process it is worth nothing before the answer is sent, elsewhere
//! within [`BELIEF_SECONDS`].

use std::hash::Hash;

use api_conventions::ids::{GrantId, TokenPairId};
use api_conventions::time::Timestamp;
use quick_cache::sync::Cache;

use super::principal::OAuthCredential;

/// How long the cache believes an OAuth token after it was read.
pub const BELIEF_SECONDS: i64 = 1;

/// How long an end is remembered. By then no belief is left that it could contradict, and a database may give the
/// number of a row that was deleted to another.
const MEMORY_SECONDS: i64 = 60;

/// How many ended pairs, and grants, are remembered: far more than one process ends in a second.
const CAPACITY: usize = 200_000;

/// What was ended.
#[derive(Debug)]
pub struct Ended {
    pairs: Cache<TokenPairId, Timestamp>,
    grants: Cache<GrantId, Timestamp>,
}

impl Default for Ended {
    fn default() -> Self {
        Self {
            pairs: Cache::new(CAPACITY),
            grants: Cache::new(CAPACITY),
        }
    }
}

impl Ended {
    /// Notes that a pair was replaced at `now`.
    pub fn pair(&self, id: TokenPairId, now: Timestamp) {
        self.pairs.insert(id, now);
    }

    /// Notes that a grant was revoked at `now`.
    pub fn grant(&self, id: GrantId, now: Timestamp) {
        self.grants.insert(id, now);
    }

    /// Whether a token was ended here.
    pub fn contains(&self, token: &OAuthCredential, now: Timestamp) -> bool {
        is_noted(&self.pairs, &token.pair.id, now)
            || is_noted(&self.grants, &token.pair.grant_id, now)
    }
}

fn is_noted<K: Eq + Hash>(ends: &Cache<K, Timestamp>, id: &K, now: Timestamp) -> bool {
    ends.get(id)
        .is_some_and(|at| now < at.plus_seconds(MEMORY_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_remembered_for_a_minute_and_no_longer() {
        let ended = Ended::default();
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000).unwrap();
        ended.pair(TokenPairId::new(7), at(0));
        let noted = |id, now| is_noted(&ended.pairs, &TokenPairId::new(id), now);
        assert!(noted(7, at(59)));
        assert!(!noted(7, at(60)));
        assert!(!noted(8, at(0)));
    }
}
