//! Order of the checks on an authorization request (RFC 6749, section 4.1.2.1).
//!
//! The destination of an error depends on what was proven before it.
//!
//! With the feature `oxide-auth`, which is on by default, the state machine of that library defines the order, the
//! grammar of scopes and the grammar of addresses. Without it a function of this crate does. Both give the same outcome
//! for every request, which a property test checks. `oxide` is the only module that uses the library.
//!
//! Some parts of oxide-auth are not used. Its flows for codes, refresh tokens and resources accept a verifier without a
//! challenge, cannot detect a replayed code, read client credentials from one place only, and have no token families.
//! Its stores are not used because each one-time step must be a conditional write of our store. A host built on those
//! flows can run them over this crate's store: see `StoreSession`.

#[cfg(feature = "oxide-auth")]
mod oxide;
#[cfg(any(test, not(feature = "oxide-auth")))]
mod plain;
#[cfg(all(test, feature = "oxide-auth"))]
mod tests;

use api_conventions::scope::ScopeSet;

#[cfg(feature = "oxide-auth")]
pub use oxide::StoreSession;
#[cfg(feature = "oxide-auth")]
pub(crate) use oxide::run;
#[cfg(not(feature = "oxide-auth"))]
pub(crate) use plain::run;

/// Callbacks of the engine. The methods are called in this order, each at most once.
pub(crate) trait EngineCallbacks {
    /// Refusal of a request.
    type Refusal;

    /// Finds the client and validates the redirect URI. A refusal here must never be redirected.
    fn bind(&mut self, client_id: &str, redirect_uri: Option<&str>) -> Result<(), Self::Refusal>;

    /// Checks the parameters that protocol extensions add to a request.
    fn extend(&mut self) -> Result<(), Self::Refusal>;

    /// Decides on the granted scopes. `requested` has the grammar of a scope (RFC 6749, section 3.3).
    fn negotiate(&mut self, requested: Option<&str>) -> Result<ScopeSet, Self::Refusal>;
}

/// Failure of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EngineError<R> {
    /// The provider refused the request.
    Refused(R),
    /// The request names no client, or its redirect URI is invalid: there is no address to send an error to.
    Nowhere,
    /// The `response_type` is not `code`.
    ResponseType,
    /// The scope breaks the grammar (RFC 6749, section 3.3).
    Scope,
}
