//! One call from a request for tokens to its answer (RFC 6749, sections 4.1.3 and 6): for hosts that want no more than
//! the protocol.
//!
//! [`respond`] reads the form, proves the client, and redeems the code or the refresh token. It awaits the store twice and
//! needs no runtime; [`respond_blocking`] does the same on a thread that may wait. A host that has more to say, such as a
//! limit on wrong secrets or a cache of clients, puts the same parts together itself:
//! [`ClientCredentials`](crate::wire::ClientCredentials), [`TokenRequest`], [`authenticate_client`], and the
//! [work](crate::work) that a store groups.
//!
//! The password grant (section 4.3) is left to the host, who knows the passwords: here it is
//! `unsupported_grant_type`. So are tokens of applications themselves (section 4.4): see
//! [`flow::client_credentials`](crate::flow::client_credentials). The id token is left to the host, too, because it needs the
//! keys: see [`TokenAnswer::response`].

mod answer;
mod call;

use api_conventions::secret::SecretSource;
use api_conventions::time::Timestamp;
use storage::{Lane, Pending, Store, StoreError};

pub use answer::{TokenAnswer, TokenError};

use self::call::Step;
use crate::flow::client::{ClientOutcome, authenticate_client};
use crate::policy::Policy;
use crate::store::{ApplicationQueries, GrantRepository};
use crate::wire::{OAuthError, TokenRequest};
use crate::work::{FindGrantUsers, GrantUsers};

/// A request for tokens, as a host took it from HTTP.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct TokenCall<'r> {
    /// The value of the `Authorization` header, when there is one.
    pub authorization: Option<&'r str>,
    /// The body, of the type `application/x-www-form-urlencoded`. The host has bounded its size.
    pub body: &'r [u8],
}

impl<'r> TokenCall<'r> {
    /// A request with the value of its `Authorization` header, when there is one, and its body.
    pub fn new(authorization: Option<&'r str>, body: &'r [u8]) -> Self {
        Self {
            authorization,
            body,
        }
    }
}

/// What a provider brings to every request.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Provider<'p, U> {
    /// The rules of the server, and its scopes.
    pub policy: &'p Policy,
    /// Where random bytes come from.
    pub secrets: &'p dyn SecretSource,
    /// Which users may still act: [`EveryUser`](crate::work::EveryUser), or what the host says.
    pub users: U,
}

impl<'p, U> Provider<'p, U> {
    /// A provider with these rules, whose users are judged by `users`.
    pub fn new(policy: &'p Policy, secrets: &'p dyn SecretSource, users: U) -> Self {
        Self {
            policy,
            secrets,
            users,
        }
    }
}

impl<U: std::fmt::Debug> std::fmt::Debug for Provider<'_, U> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Provider")
            .field("policy", &self.policy)
            .field("users", &self.users)
            .finish_non_exhaustive()
    }
}

/// Answers a request for tokens at `now`.
///
/// # Errors
/// * [`TokenError::Refused`] with the refusal that the client is sent (section 5.2): the form cannot be read, the client
///   proves nothing, or the code or the refresh token is not good.
/// * [`TokenError::Store`] when the store fails.
pub async fn respond<S, U>(
    store: &S,
    request: TokenCall<'_>,
    provider: Provider<'_, U>,
    now: Timestamp,
) -> Result<TokenAnswer<U::User>, TokenError>
where
    S: Store + ?Sized,
    U: GrantUsers + for<'t> FindGrantUsers<S::WriteTx<'t>>,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
    for<'t> S::WriteTx<'t>: GrantRepository,
{
    let (call, found) = ask_client(store, request, &provider)?;
    match call.step(found.await?, provider, now)? {
        Step::Exchange(work, issue) => issue.finish(store.write_grouped(*work).await?),
        Step::Refresh(work, application) => {
            answer::of_refresh(application, store.write_grouped(*work).await?, now)
        }
    }
}

/// Answers a request for tokens as [`respond`] does, and blocks this thread until the answer is there. Never call it on a
/// runtime's worker thread.
///
/// # Errors
/// As for [`respond`].
pub fn respond_blocking<S, U>(
    store: &S,
    request: TokenCall<'_>,
    provider: Provider<'_, U>,
    now: Timestamp,
) -> Result<TokenAnswer<U::User>, TokenError>
where
    S: Store + ?Sized,
    U: GrantUsers + for<'t> FindGrantUsers<S::WriteTx<'t>>,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
    for<'t> S::WriteTx<'t>: GrantRepository,
{
    let (call, found) = ask_client(store, request, &provider)?;
    match call.step(found.wait()?, provider, now)? {
        Step::Exchange(work, issue) => issue.finish(store.write_grouped(*work).wait()?),
        Step::Refresh(work, application) => {
            answer::of_refresh(application, store.write_grouped(*work).wait()?, now)
        }
    }
}

/// Reads a request, and asks the store about its client.
fn ask_client<S, U>(
    store: &S,
    request: TokenCall<'_>,
    provider: &Provider<'_, U>,
) -> Result<(ReadCall, Pending<ClientOutcome, StoreError>), OAuthError>
where
    S: Store + ?Sized,
    for<'t> S::ReadTx<'t>: ApplicationQueries,
{
    let (client, request) = call::read(request, provider.policy)?;
    let by_header = client.by_header;
    let found = store.read_in(Lane::Check, move |tx| {
        authenticate_client(tx, &client.client_id, client.secret.as_ref())
    });
    Ok((ReadCall { request, by_header }, found))
}

/// A request that was read, whose client is not proven yet.
struct ReadCall {
    request: TokenRequest,
    by_header: bool,
}

impl ReadCall {
    /// The work for the request, when its client is proven.
    fn step<U>(
        self,
        found: ClientOutcome,
        provider: Provider<'_, U>,
        now: Timestamp,
    ) -> Result<Step<U>, OAuthError> {
        let application = found.into_result(self.by_header)?;
        Step::of(self.request, *application, provider, now)
    }
}
