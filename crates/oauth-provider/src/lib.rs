//! An OAuth 2.0 and OpenID Connect provider.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: applications, authorization requests, grants, tokens and signing keys.
//! * [`rules`]: pure functions: PKCE, redirect URIs, the pair that follows a refresh token.
//! * [`engine`]: the order in which a request is checked; where oxide-auth is used, behind the feature `oxide-auth`.
//! * [`flow`]: one use case per module.
//! * [`token`]: one call from a request for tokens to its answer.
//! * [`work`]: codes and refresh tokens as work that a store may group.
//! * [`scopes`]: the registry of scopes that a host fills.
//! * [`policy`]: which scopes there are, how long things live, and how strict an instance is.
//! * `signing`, with the feature of that name: keys, key sets and signed tokens.
//! * [`wire`]: requests and answers as they go over the wire.
//! * [`store`]: the repository traits that an adapter implements.
//!
//! # Invariants
//! * Codes, tokens and secrets are stored as digests; each is shown once and never again.
//! * A code gives tokens once, and a refresh token a successor once. Both are conditional writes of the store.
//! * All tokens that follow from one consent form a family, the grant. Ending the grant ends them all.

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
