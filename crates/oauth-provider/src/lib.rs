//! An OAuth 2.0 and OpenID Connect provider.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: applications, authorization requests, grants, tokens and signing keys.
//! * [`rules`]: pure functions for PKCE, redirect URIs, and the token pair that succeeds a refresh token.
//! * [`engine`]: the order in which a request is validated, with oxide-auth if the feature `oxide-auth` is on.
//! * [`flow`]: one use case per module.
//! * [`token`]: a single call that handles a whole token request.
//! * [`work`]: code redemption and token refresh as work that a store may group.
//! * [`scopes`]: the registry of scopes that a host fills.
//! * [`policy`]: scopes, lifetimes and strictness of an instance.
//! * `signing`, with the feature of that name: keys, key sets and signed tokens.
//! * [`wire`]: requests and responses in their wire format.
//! * [`store`]: the repository traits that an adapter implements.
//!
//! # Invariants
//! * Codes, tokens and secrets are stored as digests; each is shown only once.
//! * A code can be redeemed once, and a refresh token rotated once. The store enforces both with conditional writes.
//! * All tokens issued from one consent form a family, the grant. Revoking the grant revokes them all.

pub mod engine;
pub mod flow;
pub mod model;
pub mod policy;
pub mod rules;
pub mod scopes;
#[cfg(feature = "signing")]
pub mod signing;
pub mod store;
pub mod token;
pub mod wire;
pub mod work;

pub use model::{
    Application, ApplicationChange, ApplicationOptions, ApplicationUid, AuthorizationRequest,
    AuthorizedApplication, ClientType, Grant, GrantState, NewApplication, NewGrant, NewSigningKey,
    NewTokenPair, ResponseMode, RotationSeed, SigningAlgorithm, SigningKey, TokenPair,
    TokenPairState, TokenSubject,
};
pub use policy::Policy;
pub use scopes::{ScopeEntry, ScopeRegistry};
pub use store::{
    ApplicationOwner, ApplicationQueries, ApplicationQueriesWrapper, ApplicationRepository,
    ApplicationRepositoryWrapper, CodeRedemption, Family, GrantQueries, GrantQueriesWrapper,
    GrantRepository, GrantRepositoryWrapper, OauthReadTx, OauthStore, OauthWriteTx, PairRotation,
    Redemption, Rotation, SigningKeyQueries, SigningKeyQueriesWrapper, SigningKeyRepository,
    SigningKeyRepositoryWrapper,
};
