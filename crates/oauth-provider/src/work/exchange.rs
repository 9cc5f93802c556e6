//! Redemption of a code as groupable work, if the user may still act.

use api_conventions::scope::ScopeSet;
use storage::{GroupWork, StoreError, Work};

use super::{ActingUsers, FindGrantUsers, GrantUsers};
use crate::flow::exchange::{Exchange, ExchangeOutcome, exchange_all};
use crate::model::Grant;
use crate::policy::Policy;
use crate::store::GrantRepository;
use crate::wire::{ErrorCode, OAuthError};

/// A code to redeem. Codes that arrive together are redeemed together.
#[derive(Debug)]
pub struct ExchangeCode<U> {
    /// Request to redeem the code.
    pub request: Exchange,
    /// Policy of the server, the same for all.
    pub policy: Policy,
    /// Check for users who may act, the same for all.
    pub users: U,
}

/// Outcome of redeeming a code. `U` is the host's data about the user.
#[derive(Debug)]
#[non_exhaustive]
pub enum CodeWorkOutcome<U> {
    /// The tokens are issued, for this user and with these scopes.
    Issued(Box<(Grant, U)>, ScopeSet),
    /// The code is not valid. If it was replayed, or its user may not act, its grant is revoked.
    Refused,
}

impl<U> CodeWorkOutcome<U> {
    /// Returns the grant with the user, and its scopes.
    ///
    /// # Errors
    /// `invalid_grant` for every refusal (RFC 6749, section 5.2).
    pub fn into_result(self) -> Result<(Box<(Grant, U)>, ScopeSet), OAuthError> {
        match self {
            Self::Issued(issued, scopes) => Ok((issued, scopes)),
            Self::Refused => Err(OAuthError::new(ErrorCode::InvalidGrant)),
        }
    }
}

impl<U: GrantUsers> Work for ExchangeCode<U> {
    type Output = CodeWorkOutcome<U::User>;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        size_of::<Self>() + self.request.redirect_uri.len()
    }
}

impl<U, Tx> GroupWork<Tx> for ExchangeCode<U>
where
    U: FindGrantUsers<Tx>,
    Tx: GrantRepository + ?Sized,
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, StoreError> {
        let Some(first) = group.first() else {
            return Ok(Vec::new());
        };
        let requests: Vec<&Exchange> = group.iter().map(|work| &work.request).collect();
        let outcomes = exchange_all(tx, &requests, &first.policy)?;
        let subjects = outcomes.iter().filter_map(|outcome| match outcome {
            ExchangeOutcome::Issued(grant, _) => Some(grant.subject),
            _ => None,
        });
        let users = ActingUsers::find(tx, &first.users, subjects)?;
        let mut exchanged = Vec::with_capacity(outcomes.len());
        for (outcome, request) in outcomes.into_iter().zip(requests) {
            exchanged.push(match outcome {
                ExchangeOutcome::Issued(grant, scopes) => {
                    match users.of(tx, &grant, request.now)? {
                        Some(user) => CodeWorkOutcome::Issued(Box::new((*grant, user)), scopes),
                        None => CodeWorkOutcome::Refused,
                    }
                }
                ExchangeOutcome::Refused | ExchangeOutcome::Replayed(_) => CodeWorkOutcome::Refused,
            });
        }
        Ok(exchanged)
    }
}
