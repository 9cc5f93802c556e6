//! A refresh token for the next pair, if the user may still act.

use accounts::User;
use api_conventions::ids::GrantId;
use oauth_provider::Policy;
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, Refreshed, refresh};
use storage::StoreError;

use super::acting_user;
use crate::database::WriteTransaction;

/// What became of a refresh token.
#[derive(Debug)]
pub enum RefreshedTokens {
    /// The next pair, for this user.
    Issued(Box<(Refreshed, User)>),
    /// The token is not good.
    Refused,
    /// More was asked for than was granted.
    ScopeTooLarge,
    /// The token was used before, or its user may not act: this grant is ended.
    Ended(GrantId),
}

/// Uses a refresh token.
///
/// # Errors
/// Failures of the store.
pub fn refresh_tokens(
    tx: &mut dyn WriteTransaction,
    wish: &Refresh,
    policy: &Policy,
) -> Result<RefreshedTokens, StoreError> {
    Ok(match refresh(tx, wish, policy)? {
        RefreshOutcome::Refreshed(next) => {
            match acting_user(tx, next.grant.user_id, next.grant.id, wish.now)? {
                Some(user) => RefreshedTokens::Issued(Box::new((*next, user))),
                None => RefreshedTokens::Ended(next.grant.id),
            }
        }
        RefreshOutcome::Refused => RefreshedTokens::Refused,
        RefreshOutcome::ScopeTooLarge => RefreshedTokens::ScopeTooLarge,
        RefreshOutcome::Reused(grant) => RefreshedTokens::Ended(grant),
    })
}
