//! Wire format of requests and responses. No transport is assumed: headers and bodies are passed as text.

pub mod application;
pub mod claims;
pub mod client;
pub mod error;
pub mod form;
pub mod id_token;
pub mod introspection;
pub mod metadata;
pub mod token_info;
pub mod token_request;
pub mod token_response;
pub mod webfinger;

pub use application::{ApplicationResponse, NewApplicationResponse};
pub use claims::{Claims, Subject};
pub use client::ClientCredentials;
pub use error::{ErrorCode, OAuthError};
pub use form::FormParameters;
pub use id_token::IdTokenClaims;
pub use introspection::{Introspection, Issuer};
pub use metadata::Metadata;
pub use token_info::TokenInfo;
pub use token_request::TokenRequest;
pub use token_response::TokenResponse;
pub use webfinger::Webfinger;
