//! An application, the browser of its user, and the requests between them.

mod client;
mod fixture;
mod landing;
mod request;

pub(super) use client::OauthClient;
pub(super) use fixture::OauthFixture;
pub(super) use landing::{IssuedTokens, Landing, approve, assert_refused, assert_unstored, deny};
pub(super) use request::{OauthRequest, post};

/// A PKCE verifier (RFC 7636, appendix B).
pub(super) const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/// The challenge derived from [`VERIFIER`].
pub(super) const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
/// A verifier with valid syntax, for another challenge.
pub(super) const OTHER_VERIFIER: &str = "ks02i3jdikdo2k0dkfodf3m39rjfjsdk0wk349rj3jrhf";

/// Path of the authorization endpoint.
pub(super) const AUTHORIZE: &str = "/oauth/authorize";
