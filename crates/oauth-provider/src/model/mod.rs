//! Applications, authorization requests, grants, tokens and signing keys.

mod application;
mod grant;
mod key;
mod options;
mod request;
mod subject;
mod token;

pub use application::{
    Application, ApplicationChange, ApplicationUid, AuthorizedApplication, ClientType,
    NewApplication, SECRET_PREFIX,
};
pub use grant::{CODE_PREFIX, Grant, GrantState, NewGrant};
pub use key::{NewSigningKey, SigningAlgorithm, SigningKey};
pub use options::ApplicationOptions;
pub use request::{AuthorizationRequest, HANDLE_PREFIX, ResponseMode};
pub use subject::TokenSubject;
pub use token::{
    ACCESS_PREFIX, NewTokenPair, REFRESH_PREFIX, RotationSeed, TokenPair, TokenPairState,
};
