//! A refresh token for the next pair, if the user may still act.

use storage::{GroupWork, StoreError, Work};

use super::{ActingUsers, FindGrantUsers, GrantUsers};
use crate::flow::refresh::{Refresh, RefreshOutcome, Refreshed, refresh_all};
use crate::policy::Policy;
use crate::store::GrantRepository;
use crate::wire::{ErrorCode, OAuthError};

/// A refresh token to be used. Those that arrive together are used together.
#[derive(Debug)]
pub struct RefreshToken<U> {
    /// The token, and who presents it.
    pub request: Refresh,
    /// The rules of the server, the same for all.
    pub policy: Policy,
    /// Who may act, the same for all.
    pub users: U,
}

/// What became of a refresh token. `U` is what the host wants of a user.
#[derive(Debug)]
#[non_exhaustive]
pub enum RefreshedTokens<U> {
    /// The next pair, for this user.
    Issued(Box<(Refreshed, U)>),
    /// The token is not good. When it was used before, or its user may not act, its grant is revoked.
    Refused,
    /// More was asked for than was granted.
    ScopeTooLarge,
}

impl<U> RefreshedTokens<U> {
    /// The next pair, with the user.
    ///
    /// # Errors
    /// `invalid_scope` for scopes that were not granted, `invalid_grant` for every other refusal (RFC 6749, section 5.2).
    pub fn into_result(self) -> Result<Box<(Refreshed, U)>, OAuthError> {
        match self {
            Self::Issued(issued) => Ok(issued),
            Self::Refused => Err(OAuthError::new(ErrorCode::InvalidGrant)),
            Self::ScopeTooLarge => Err(OAuthError::new(ErrorCode::InvalidScope)),
        }
    }
}

impl<U: GrantUsers> Work for RefreshToken<U> {
    type Output = RefreshedTokens<U::User>;
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
                    Some(user) => RefreshedTokens::Issued(Box::new((*next, user))),
                    None => RefreshedTokens::Refused,
                },
                RefreshOutcome::Refused | RefreshOutcome::Reused(_) => RefreshedTokens::Refused,
                RefreshOutcome::ScopeTooLarge => RefreshedTokens::ScopeTooLarge,
            });
        }
        Ok(refreshed)
    }
}
