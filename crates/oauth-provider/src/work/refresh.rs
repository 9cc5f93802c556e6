//! Token refresh as groupable work, if the user may still act.

use storage::{GroupWork, StoreError, Work};

use super::{ActingUsers, FindGrantUsers, GrantUsers};
use crate::flow::refresh::{Refresh, RefreshOutcome, RefreshedPair, refresh_all};
use crate::policy::Policy;
use crate::store::GrantRepository;
use crate::wire::{ErrorCode, OAuthError};

/// A refresh token to use. Tokens that arrive together are used together.
#[derive(Debug)]
pub struct RefreshToken<U> {
    /// Request to use the token.
    pub request: Refresh,
    /// Policy of the server, the same for all.
    pub policy: Policy,
    /// Check for users who may act, the same for all.
    pub users: U,
}

/// Outcome of using a refresh token. `U` is the host's data about the user.
#[derive(Debug)]
#[non_exhaustive]
pub enum RefreshWorkOutcome<U> {
    /// The next pair is issued, for this user.
    Issued(Box<(RefreshedPair, U)>),
    /// The token is not valid. If it was used before, or its user may not act, its grant is revoked.
    Refused,
    /// The requested scopes exceed the granted ones.
    ScopeTooLarge,
}

impl<U> RefreshWorkOutcome<U> {
    /// Returns the next pair, with the user.
    ///
    /// # Errors
    /// `invalid_scope` for scopes that were not granted, `invalid_grant` for any other refusal (RFC 6749, section 5.2).
    pub fn into_result(self) -> Result<Box<(RefreshedPair, U)>, OAuthError> {
        match self {
            Self::Issued(issued) => Ok(issued),
            Self::Refused => Err(OAuthError::new(ErrorCode::InvalidGrant)),
            Self::ScopeTooLarge => Err(OAuthError::new(ErrorCode::InvalidScope)),
        }
    }
}

impl<U: GrantUsers> Work for RefreshToken<U> {
    type Output = RefreshWorkOutcome<U::User>;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

impl<U, Tx> GroupWork<Tx> for RefreshToken<U>
where
    U: FindGrantUsers<Tx>,
    Tx: GrantRepository + ?Sized,
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, StoreError> {
        let Some(first) = group.first() else {
            return Ok(Vec::new());
        };
        let requests: Vec<&Refresh> = group.iter().map(|work| &work.request).collect();
        let outcomes = refresh_all(tx, &requests, &first.policy)?;
        let subjects = outcomes.iter().filter_map(|outcome| match outcome {
            RefreshOutcome::Refreshed(next) => Some(next.grant.subject),
            _ => None,
        });
        let users = ActingUsers::find(tx, &first.users, subjects)?;
        let mut refreshed = Vec::with_capacity(outcomes.len());
        for (outcome, request) in outcomes.into_iter().zip(requests) {
            refreshed.push(match outcome {
                RefreshOutcome::Refreshed(next) => match users.of(tx, &next.grant, request.now)? {
                    Some(user) => RefreshWorkOutcome::Issued(Box::new((*next, user))),
                    None => RefreshWorkOutcome::Refused,
                },
                RefreshOutcome::Refused | RefreshOutcome::Reused(_) => RefreshWorkOutcome::Refused,
                RefreshOutcome::ScopeTooLarge => RefreshWorkOutcome::ScopeTooLarge,
            });
        }
        Ok(refreshed)
    }
}
