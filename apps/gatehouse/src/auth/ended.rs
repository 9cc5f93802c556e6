//! Which OAuth tokens this process has ended itself.
//!
//! A refresh ends a pair, and happens far too often to empty the cache of all tokens each time, as a raise of the
//! authentication epoch does. So the cache believes an OAuth token for a second only, and what was ended here is
//! remembered for longer than that: in this process it is worth nothing before the answer is sent, elsewhere
//! within [`BELIEF_SECONDS`].

use api_conventions::ids::{GrantId, TokenPairId};
use quick_cache::sync::Cache;

use super::principal::OAuthCredential;

/// How long the cache believes an OAuth token after it was read.
pub const BELIEF_SECONDS: i64 = 1;

/// How many ended pairs, and grants, are remembered: far more than one process ends in a second.
const CAPACITY: usize = 200_000;

/// What was ended.
#[derive(Debug)]
pub struct Ended {
    pairs: Cache<TokenPairId, ()>,
    grants: Cache<GrantId, ()>,
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
    /// Notes that a pair was replaced.
    pub fn pair(&self, id: TokenPairId) {
        self.pairs.insert(id, ());
    }

    /// Notes that a grant was revoked.
    pub fn grant(&self, id: GrantId) {
        self.grants.insert(id, ());
    }

    /// Whether a token was ended here.
    pub fn contains(&self, token: &OAuthCredential) -> bool {
        self.pairs.get(&token.pair.id).is_some() || self.grants.get(&token.pair.grant_id).is_some()
    }
}
