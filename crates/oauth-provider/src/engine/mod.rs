//! The order in which a request for authorization is checked (RFC 6749, section 4.1.2.1): who may learn what depends on
//! what was proven before.
//!
//! With the feature `oxide-auth`, which is on by default, the state machine of that library gives the order, the grammar of
//! scopes and the grammar of addresses. Without it a function of this crate does. Both give the same outcome for every
//! request, which a property test holds them to. `oxide` is the only module that names the library.
//!
//! What is not used of oxide-auth, and why: its flows for codes, refresh tokens and resources, because they take a
//! verifier without a challenge, cannot recognise a code that was replayed, read client credentials from one place
//! only, and know no family of tokens; its stores, because what must happen once is a conditional write of ours. A host
//! that has built on those flows can run them over this crate's store: see `StoreSession`.

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

/// What is asked of the provider. The methods are called in this order, each once at most.
pub(crate) trait Provider {
    /// Why a request is refused.
    type Refusal;

    /// Finds the client and proves the address. A refusal here must never be redirected.
    fn bind(&mut self, client_id: &str, redirect_uri: Option<&str>) -> Result<(), Self::Refusal>;

    /// Checks what extensions of the protocol add to a request.
    fn extend(&mut self) -> Result<(), Self::Refusal>;

    /// Decides what is agreed on. `asked` has the grammar of a scope (RFC 6749, section 3.3).
    fn negotiate(&mut self, asked: Option<&str>) -> Result<ScopeSet, Self::Refusal>;
}

/// How a request fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum EngineError<R> {
    /// The provider refused it.
    Refused(R),
    /// It names no client, or an address that is none: there is nowhere to send an error.
    Nowhere,
    /// Its `response_type` is not `code`.
    ResponseType,
    /// Its scope breaks the grammar (RFC 6749, section 3.3).
    Scope,
}
