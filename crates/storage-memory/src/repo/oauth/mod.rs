//! Applications, the requests that wait, grants, pairs of tokens and signing keys.

mod applications;
mod grants;
mod keys;
mod requests;
mod tokens;

use api_conventions::ids::{ApplicationId, GrantId, SigningKeyId, TokenPairId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, AuthorizationRequest, Grant, GrantState, SigningKey, TokenPair, TokenPairState,
};

use crate::table::Table;

/// The tables of the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables {
    applications: Table<ApplicationId, Application>,
    requests: Vec<(SecretDigest, AuthorizationRequest)>,
    grants: Table<GrantId, (Option<SecretDigest>, Grant)>,
    pairs: Table<TokenPairId, PairRow>,
    keys: Table<SigningKeyId, SigningKey>,
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
    /// Forgets the waiting requests that `forgotten` is true of.
    pub(super) fn forget_requests(&mut self, forgotten: impl Fn(&AuthorizationRequest) -> bool) {
        self.requests.retain(|(_, request)| !forgotten(request));
    }

    /// Deletes the grants that `deleted` is true of, at most `limit`, with their tokens.
    fn delete_grants(&mut self, limit: usize, deleted: impl Fn(&Grant) -> bool) -> usize {
        let ids = self.grants.remove_where(limit, |(_, grant)| deleted(grant));
        self.pairs
            .remove_where(usize::MAX, |row| ids.contains(&row.pair.grant_id));
        ids.len()
    }

    /// Ends the grants that `ends` is true of, with all their tokens. Those that were ended before keep their timestamp.
    fn end_grants(&mut self, now: Timestamp, ends: impl Fn(&Grant) -> bool) -> usize {
        let mut count = 0;
        for (_, grant) in self.grants.rows_mut() {
            if matches!(grant.state, GrantState::Revoked { .. }) || !ends(grant) {
                continue;
            }
            grant.state = GrantState::Revoked { at: now };
            count += 1;
            let rows = self.pairs.rows_mut();
            for row in rows.filter(|row| row.pair.grant_id == grant.id) {
                row.pair.state = TokenPairState::Revoked { at: now };
            }
        }
        count
    }
}
