//! A refresh token for the next pair, if the user may still act.

use accounts::User;
use oauth_provider::Policy;
use oauth_provider::flow::refresh::{Refresh, RefreshOutcome, Refreshed, refresh_all};
use storage::{GroupWork, StoreError, Work};

use super::ActingUsers;
use crate::database::WriteTransaction;

/// A refresh token to be used. Those that arrive together are used together.
#[derive(Debug)]
pub struct RefreshTokens {
    /// The token, and who presents it.
    pub request: Refresh,
    /// The rules of the server, the same for all.
    pub policy: Policy,
}

/// What became of a refresh token.
#[derive(Debug)]
pub enum RefreshedTokens {
    /// The next pair, for this user.
    Issued(Box<(Refreshed, User)>),
    /// The token is not good. When it was used before, or its user may not act, its grant is ended.
    Refused,
    /// More was asked for than was granted.
    ScopeTooLarge,
}

impl Work for RefreshTokens {
    type Output = RefreshedTokens;
    type Error = StoreError;

    const EXCLUSIVE: bool = false;

    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for RefreshTokens {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<RefreshedTokens>, StoreError> {
        let Some(policy) = group.first().map(|work| work.policy) else {
            return Ok(Vec::new());
        };
        let requests: Vec<&Refresh> = group.iter().map(|work| &work.request).collect();
        let outcomes = refresh_all(tx, &requests, &policy)?;
        let users = outcomes.iter().filter_map(|outcome| match outcome {
            RefreshOutcome::Refreshed(next) => Some(next.grant.user_id),
            _ => None,
        });
        let users = ActingUsers::find(tx, users)?;
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
