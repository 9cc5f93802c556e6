//! Handling of a token request in one call (RFC 6749, sections 4.1.3 and 6), for hosts that need only the protocol.
//!
//! [`respond`] parses the form, authenticates the client, and redeems the code or the refresh token. It awaits the
//! store twice and needs no runtime; [`respond_blocking`] does the same on a thread that may block. A host that needs
//! more, such as a limit on wrong secrets or a cache of clients, combines the same parts itself:
//! [`ClientCredentials`](crate::wire::ClientCredentials), [`TokenRequest`], [`authenticate_client`], and the
//! [work](crate::work) that a store groups.
//!
//! The password grant (section 4.3) is left to the host, which knows the passwords: here it is
//! `unsupported_grant_type`. So is the client credentials grant (section 4.4): see
//! [`flow::client_credentials`](crate::flow::client_credentials). The id token is left to the host, too, because it
//! needs the keys: see [`TokenAnswer::response`].

mod answer;
mod call;

use api_conventions::secret::SecretSource;
use api_conventions::time::Timestamp;
use storage::{Lane, Pending, Store, StoreError};

pub use answer::{TokenAnswer, TokenError};

use self::call::TokenWork;
use crate::flow::client::{ClientOutcome, authenticate_client};
use crate::policy::Policy;
use crate::store::{ApplicationQueries, GrantRepository};
use crate::wire::{OAuthError, TokenRequest};
use crate::work::{FindGrantUsers, GrantUsers};

/// A token request as the host received it over HTTP.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TokenCall<'r> {
    /// Value of the `Authorization` header, if present.
    pub authorization: Option<&'r str>,
    /// Body of the type `application/x-www-form-urlencoded`. The host has limited its size.
    pub body: &'r [u8],
}

impl<'r> TokenCall<'r> {
    /// Creates a request from the value of its `Authorization` header, if present, and its body.
    pub fn new(authorization: Option<&'r str>, body: &'r [u8]) -> Self {
        Self {
            authorization,
            body,
        }
    }
}

/// Dependencies of token requests: the policy, the source of random bytes, and the check of users.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct TokenContext<'p, U> {
    /// Policy of the server, with its scopes.
    pub policy: &'p Policy,
    /// Source of random bytes.
    pub secrets: &'p dyn SecretSource,
    /// Check for users who may still act: [`EveryUser`](crate::work::EveryUser), or the host's own.
    pub users: U,
}

impl<'p, U> TokenContext<'p, U> {
    /// Creates a context with this policy. `users` decides which users may still act.
    pub fn new(policy: &'p Policy, secrets: &'p dyn SecretSource, users: U) -> Self {
        Self {
            policy,
            secrets,
            users,
        }
    }
}

impl<U: std::fmt::Debug> std::fmt::Debug for TokenContext<'_, U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenContext")
            .field("policy", &self.policy)
            .field("users", &self.users)
            .finish_non_exhaustive()
    }
}

/// Answers a token request at `now`.
///
/// # Errors
/// * [`TokenError::Refused`] with the error response for the client (section 5.2): the form cannot be parsed, the client
///   fails to authenticate, or the code or the refresh token is not valid.
/// * [`TokenError::Store`] when the store fails.
pub async fn respond<S, U>(
    store: &S,
    request: TokenCall<'_>,
    context: TokenContext<'_, U>,
    now: Timestamp,
) -> Result<TokenAnswer<U::User>, TokenError>
where
    S: Store + ?Sized,
    U: GrantUsers + for<'t> FindGrantUsers<S::WriteTx<'t>>,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
    for<'t> S::WriteTx<'t>: GrantRepository,
{
    let (call, found) = find_client(store, request, &context)?;
    match call.into_work(found.await?, context, now)? {
        TokenWork::Exchange(work, issue) => issue.finish(store.write_grouped(*work).await?),
        TokenWork::Refresh(work, application) => {
            answer::of_refresh(application, store.write_grouped(*work).await?, now)
        }
    }
}

/// Answers a token request like [`respond`], but blocks this thread until the response is ready. Never call it on a
/// runtime's worker thread.
///
/// # Errors
/// As for [`respond`].
pub fn respond_blocking<S, U>(
    store: &S,
    request: TokenCall<'_>,
    context: TokenContext<'_, U>,
    now: Timestamp,
) -> Result<TokenAnswer<U::User>, TokenError>
where
    S: Store + ?Sized,
    U: GrantUsers + for<'t> FindGrantUsers<S::WriteTx<'t>>,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
    for<'t> S::WriteTx<'t>: GrantRepository,
{
    let (call, found) = find_client(store, request, &context)?;
    match call.into_work(found.wait()?, context, now)? {
        TokenWork::Exchange(work, issue) => issue.finish(store.write_grouped(*work).wait()?),
        TokenWork::Refresh(work, application) => {
            answer::of_refresh(application, store.write_grouped(*work).wait()?, now)
        }
    }
}

/// Parses a request and starts to authenticate its client with the store.
fn find_client<S, U>(
    store: &S,
    request: TokenCall<'_>,
    context: &TokenContext<'_, U>,
) -> Result<(ParsedCall, Pending<ClientOutcome, StoreError>), OAuthError>
where
    S: Store + ?Sized,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
{
    let (client, request) = call::read(request, context.policy)?;
    let by_header = client.by_header;
    let found = store.read_in(Lane::Check, move |tx| {
        authenticate_client(tx, &client.client_id, client.secret.as_ref())
    });
    Ok((ParsedCall { request, by_header }, found))
}

/// A parsed request whose client is not authenticated yet.
struct ParsedCall {
    request: TokenRequest,
    by_header: bool,
}

impl ParsedCall {
    /// Returns the work for the request, or the error if its client failed to authenticate.
    fn into_work<U>(
        self,
        found: ClientOutcome,
        context: TokenContext<'_, U>,
        now: Timestamp,
    ) -> Result<TokenWork<U>, OAuthError> {
        let application = found.into_result(self.by_header)?;
        TokenWork::of(self.request, *application, context, now)
    }
}
