//! A code for tokens, if the user may still act.

use accounts::User;
use api_conventions::scope::ScopeSet;
use oauth_provider::flow::exchange::{Exchange, ExchangeOutcome, exchange_all};
use oauth_provider::{Grant, Policy};
use storage::{GroupWork, StoreError, Work};

use super::ActingUsers;
use crate::database::WriteTransaction;

/// A code to be redeemed. Those that arrive together are redeemed together.
#[derive(Debug)]
pub struct ExchangeCode {
    /// The code, and who presents it.
    pub request: Exchange,
    /// The rules of the server, the same for all.
    pub policy: Policy,
}

/// What became of a code.
#[derive(Debug)]
pub enum Exchanged {
    /// The tokens are issued, for this user and with these scopes.
    Issued(Box<(Grant, User)>, ScopeSet),
    /// The code is not good. When it was replayed, or its user may not act, its grant is ended.
    Refused,
}

impl Work for ExchangeCode {
    type Output = Exchanged;
    type Error = StoreError;

    const EXCLUSIVE: bool = false;

    fn weight(&self) -> usize {
        size_of::<Self>() + self.request.redirect_uri.len()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for ExchangeCode {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Exchanged>, StoreError> {
        let Some(policy) = group.first().map(|work| work.policy) else {
            return Ok(Vec::new());
        };
        let requests: Vec<&Exchange> = group.iter().map(|work| &work.request).collect();
        let outcomes = exchange_all(tx, &requests, &policy)?;
        let users = outcomes.iter().filter_map(|outcome| match outcome {
            ExchangeOutcome::Issued(grant, _) => Some(grant.user_id),
            _ => None,
        });
        let users = ActingUsers::find(tx, users)?;
        let mut exchanged = Vec::with_capacity(outcomes.len());
        for (outcome, request) in outcomes.into_iter().zip(requests) {
            exchanged.push(match outcome {
                ExchangeOutcome::Issued(grant, scopes) => {
                    match users.of(tx, &grant, request.now)? {
                        Some(user) => Exchanged::Issued(Box::new((*grant, user)), scopes),
                        None => Exchanged::Refused,
                    }
                }
                ExchangeOutcome::Refused | ExchangeOutcome::Replayed(_) => Exchanged::Refused,
            });
        }
        Ok(exchanged)
    }
}
