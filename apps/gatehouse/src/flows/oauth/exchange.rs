//! A code for tokens, if the user may still act.

use accounts::User;
use api_conventions::ids::GrantId;
use api_conventions::scope::ScopeSet;
use oauth_provider::flow::exchange::{Exchange, ExchangeOutcome, exchange};
use oauth_provider::{Grant, Policy};
use storage::StoreError;

use super::acting_user;
use crate::database::WriteTransaction;

/// What became of a code.
#[derive(Debug)]
pub enum Exchanged {
    /// The tokens are issued, for this user and with these scopes.
    Issued(Box<(Grant, User)>, ScopeSet),
    /// The code is not good.
    Refused,
    /// The code was replayed, or its user may not act: this grant is ended.
    Ended(GrantId),
}

/// Redeems a code.
///
/// # Errors
/// Failures of the store.
pub fn exchange_code(
    tx: &mut dyn WriteTransaction,
    wish: &Exchange,
    policy: &Policy,
) -> Result<Exchanged, StoreError> {
    Ok(match exchange(tx, wish, policy)? {
        ExchangeOutcome::Issued(grant, scopes) => {
            match acting_user(tx, grant.user_id, grant.id, wish.now)? {
                Some(user) => Exchanged::Issued(Box::new((*grant, user)), scopes),
                None => Exchanged::Ended(grant.id),
            }
        }
        ExchangeOutcome::Refused => Exchanged::Refused,
        ExchangeOutcome::Replayed(grant) => Exchanged::Ended(grant),
    })
}
