//! Rate limits of requests (`LIMIT-01`).
//!
//! The router counts every call before its caller is authenticated and its body is read. The limits of a call follow
//! from the declaration of its operation: see `rules`. A caller with a cached token or session is known without the
//! database. Others are looked up first, because users behind one proxy must not be counted as one.

mod failure;
mod rules;

use std::net::IpAddr;
use std::sync::Arc;

use accounts::User;
use actix_web::web::Data;
use actix_web::{Error, HttpRequest};
use gatehouse_core::auth::principal::Principal;
use gatehouse_core::auth::tokens::{SentToken, TokenVerdict};
use web_conventions::operations::{Access, Admission, AdmissionStep, Declaration, Operation};
use web_conventions::refusals::format_client;

pub use self::failure::LimitFailure;
use self::rules::{CallerSort, is_search, limits_of};
use super::client::counted_client;
use super::cookies;
use super::credentials::sent_tokens;
use super::visitor::Visitor;
use crate::config::RequestLimit;
use crate::state::AppState;
use crate::state::limits::{CallerKey, ExceededLimit};

/// Declaration of the limit that the calls of an operation share with those of similar operations.
pub trait LimitedOperation {
    /// Counts the calls towards a limit, in addition to the limits of all calls.
    #[must_use]
    fn limited_by(self, limit: RequestLimit) -> Self;
}

impl LimitedOperation for Operation {
    fn limited_by(self, limit: RequestLimit) -> Self {
        self.limited(limit.name())
    }
}

/// Check of every call against its rate limits.
#[derive(Debug, Clone, Copy)]
pub struct LimitCalls;

impl Admission for LimitCalls {
    fn admit<'r>(
        &'r self,
        request: &'r HttpRequest,
        declaration: &'r Declaration,
    ) -> AdmissionStep<'r> {
        let Some(state) = request.app_data::<Data<AppState>>() else {
            return AdmissionStep::Decided(Ok(()));
        };
        let call = LimitedCall {
            request,
            state,
            declaration,
        };
        if !call.may_be_limited() {
            return AdmissionStep::Decided(Ok(()));
        }
        match call.known_caller() {
            Some(caller) => AdmissionStep::Decided(call.count(&caller)),
            None => AdmissionStep::Pending(Box::pin(async move {
                let caller = call.find_caller().await;
                call.count(&caller)
            })),
        }
    }
}

/// Call of an operation that has rate limits.
struct LimitedCall<'r> {
    request: &'r HttpRequest,
    state: &'r AppState,
    declaration: &'r Declaration,
}

/// Caller, as far as limits tell callers apart.
enum CountedCaller {
    /// User of a token.
    Token(Arc<Principal>),
    /// Visitor with a session.
    Session(Visitor),
    /// Caller without valid credentials.
    Anonymous,
}

impl CountedCaller {
    fn user(&self) -> Option<&User> {
        match self {
            Self::Token(principal) => Some(&principal.user),
            Self::Session(visitor) => visitor.user(),
            Self::Anonymous => None,
        }
    }

    fn sort(&self) -> CallerSort {
        match self.user() {
            Some(user) if user.is_admin => CallerSort::Administrator,
            Some(_) => CallerSort::User,
            None => CallerSort::Anonymous,
        }
    }
}

impl LimitedCall<'_> {
    /// True if a limit is on that applies to the call of some caller.
    fn may_be_limited(&self) -> bool {
        CallerSort::ALL
            .into_iter()
            .any(|sort| self.limits(sort).next().is_some())
    }

    /// Returns the limits that are on and apply to the call, in their order.
    fn limits(&self, sort: CallerSort) -> impl Iterator<Item = RequestLimit> {
        let query = self.request.query_string();
        let all = limits_of(self.declaration, sort).into_iter().flatten();
        all.filter(move |limit| {
            self.state.limits.quota(*limit).is_some() && (!limit.is_search() || is_search(query))
        })
    }

    /// Returns the caller if no database access is needed.
    fn known_caller(&self) -> Option<CountedCaller> {
        match self.declaration.access {
            Access::Public(_) | Access::Protocol(_) => Some(CountedCaller::Anonymous),
            Access::Page(_) => self.known_visitor(),
            Access::Api { .. } => match self.first_token() {
                Some(token) => {
                    let cached = self.state.tokens.cached(token, self.state.now());
                    cached.map(CountedCaller::Token)
                }
                None => self.known_visitor(),
            },
        }
    }

    fn known_visitor(&self) -> Option<CountedCaller> {
        if cookies::session_value(self.request, self.state).is_none() {
            return Some(CountedCaller::Anonymous);
        }
        Visitor::cached(self.request, self.state).map(CountedCaller::Session)
    }

    /// Looks the caller up in the database, which also caches a valid token or session for the operation.
    /// If the store fails, so does the operation; the call then counts as anonymous.
    async fn find_caller(&self) -> CountedCaller {
        let is_api = matches!(self.declaration.access, Access::Api { .. });
        if let Some(token) = self.first_token().filter(|_| is_api) {
            let database = &self.state.database;
            let verdict = self.state.tokens.check(database, token, self.state.now());
            return match verdict.await {
                Ok(TokenVerdict::Good(principal)) => CountedCaller::Token(principal),
                _ => CountedCaller::Anonymous,
            };
        }
        let visitor = Visitor::of(self.request, self.state).await;
        visitor.map_or(CountedCaller::Anonymous, CountedCaller::Session)
    }

    /// Returns the token with precedence. A call with contradictory tokens is refused later.
    fn first_token(&self) -> Option<SentToken> {
        sent_tokens(self.request).ok()?.into_iter().next()
    }

    /// Counts the call towards its limits.
    fn count(&self, caller: &CountedCaller) -> Result<(), Error> {
        let user = caller.user();
        let key = match user {
            Some(user) => CallerKey::User(user.id),
            None => match counted_client(self.request, self.state) {
                Some(address) => CallerKey::Address(address),
                None => return Ok(()),
            },
        };
        let username = user.map(|user| user.username.as_str());
        let now = self.state.now();
        for limit in self.limits(caller.sort()) {
            if let Err(exceeded) = self.state.limits.count(limit, key, username, now) {
                log_first(&exceeded, key);
                return Err(LimitFailure::new(exceeded, self.declaration.access).into());
            }
        }
        Ok(())
    }
}

/// Logs the first refusal of a caller in a window.
fn log_first(exceeded: &ExceededLimit, caller: CallerKey) {
    if !exceeded.is_first() {
        return;
    }
    let (user, address): (Option<i64>, Option<IpAddr>) = match caller {
        CallerKey::User(user) => (Some(user.get()), None),
        CallerKey::Address(address) => (None, Some(address)),
    };
    tracing::info!(
        limit.name = exceeded.limit.name(),
        limit.requests = exceeded.quota.requests,
        limit.seconds = exceeded.quota.seconds,
        user.id = user,
        client.address = address.map(format_client),
        "rate limit exceeded (further requests of the window are counted)"
    );
}
