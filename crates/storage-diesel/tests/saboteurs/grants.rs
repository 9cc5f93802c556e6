//! Saboteurs of requests and grants.

use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{NewTokenPair, Redemption, TokenPair, TokenPairState};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

/// Redeems a code in any state.
fn redeem_again(
    at: &mut WriteHook<'_>,
    code: &SecretDigest,
    pair: &NewTokenPair,
    now: Timestamp,
) -> Result<Redemption, StoreError> {
    match at.tx.redeem_code(code, pair, now)? {
        Redemption::AlreadyUsed(_) => at.tx.insert_pair(pair).map(Redemption::Redeemed),
        outcome => Ok(outcome),
    }
}

/// Returns a pair of a revoked grant as if it were not revoked.
fn still_current(mut pair: TokenPair) -> TokenPair {
    if matches!(pair.state, TokenPairState::Revoked { .. }) {
        pair.state = TokenPairState::Current;
    }
    pair
}

pub(crate) struct LeavesTokens;

impl Saboteur for LeavesTokens {
    fn find_pair_by_access(
        &self,
        at: &mut ReadHook<'_>,
        access: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let found = at.tx.find_pair_by_access(access)?;
        Ok(found.map(still_current))
    }

    fn find_pair_by_refresh(
        &self,
        at: &mut ReadHook<'_>,
        refresh: &SecretDigest,
    ) -> Result<Option<TokenPair>, StoreError> {
        let found = at.tx.find_pair_by_refresh(refresh)?;
        Ok(found.map(still_current))
    }

    fn redeem_code(
        &self,
        at: &mut WriteHook<'_>,
        code: &SecretDigest,
        pair: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Redemption, StoreError> {
        redeem_again(at, code, pair, now)
    }
}
