//! Applications, the requests that wait, grants, pairs of tokens and signing keys.

mod applications;
mod grants;
mod keys;
mod requests;
mod tokens;

use std::collections::BTreeMap;

use api_conventions::ids::{ApplicationId, GrantId, SigningKeyId, TokenPairId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, AuthorizationRequest, Grant, GrantState, SigningKey, TokenPair, TokenPairState,
};

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    applications: BTreeMap<ApplicationId, Application>,
    requests: Vec<(SecretDigest, AuthorizationRequest)>,
    grants: BTreeMap<GrantId, (Option<SecretDigest>, Grant)>,
    pairs: BTreeMap<TokenPairId, PairRow>,
    keys: BTreeMap<SigningKeyId, SigningKey>,
    last_id: i64,
}

/// A pair with the digests of its tokens.
#[derive(Debug, Clone)]
struct PairRow {
    access: SecretDigest,
    refresh: Option<SecretDigest>,
    pair: TokenPair,
}

/// Whether a grant was redeemed, was not revoked, and is not past its end.
fn is_live(grant: &Grant, now: Timestamp) -> bool {
    matches!(grant.state, GrantState::Redeemed { .. }) && now < grant.expires_at
}

impl Tables {
    /// A number that no row of the crate has had.
    fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// Forgets the waiting requests that `forgotten` is true of.
    pub(super) fn forget_requests(&mut self, forgotten: impl Fn(&AuthorizationRequest) -> bool) {
        self.requests.retain(|(_, request)| !forgotten(request));
    }

    /// Deletes the grants that `deleted` is true of, at most `limit`, with their tokens.
    fn delete_grants(&mut self, limit: usize, deleted: impl Fn(&Grant) -> bool) -> usize {
        let grants = self.grants.values().map(|(_, grant)| grant);
        let ids: Vec<GrantId> = grants
            .filter(|grant| deleted(grant))
            .map(|grant| grant.id)
            .take(limit)
            .collect();
        self.grants.retain(|id, _| !ids.contains(id));
        self.pairs
            .retain(|_, row| !ids.contains(&row.pair.grant_id));
        ids.len()
    }

    /// Ends the grants that `ends` is true of, with all their tokens. Those that were ended before keep their moment.
    fn end_grants(&mut self, now: Timestamp, ends: impl Fn(&Grant) -> bool) -> usize {
        let mut count = 0;
        for (_, grant) in self.grants.values_mut() {
            if matches!(grant.state, GrantState::Revoked { .. }) || !ends(grant) {
                continue;
            }
            grant.state = GrantState::Revoked { at: now };
            count += 1;
            let rows = self.pairs.values_mut();
            for row in rows.filter(|row| row.pair.grant_id == grant.id) {
                row.pair.state = TokenPairState::Revoked { at: now };
            }
        }
        count
    }
}
