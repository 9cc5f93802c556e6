//! An application that acts for users: a client, in the words of RFC 6749.

use std::fmt;

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{SecretDigest, SecretSource};
use api_conventions::time::Timestamp;
use data_encoding::HEXLOWER;

use super::ApplicationOptions;
use crate::rules::redirect_uri::RedirectUri;

/// What a client secret starts with.
pub const SECRET_PREFIX: &str = "ghos_";

/// The public name of an application, its `client_id` (RFC 6749, section 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApplicationUid(String);

impl ApplicationUid {
    /// The longest one, in bytes.
    pub const MAX_BYTES: usize = 64;

    /// A fresh one: 32 random bytes as 64 hexadecimal digits.
    pub fn generate(source: &dyn SecretSource) -> Self {
        let mut bytes = [0_u8; 32];
        source.fill(&mut bytes);
        Self(HEXLOWER.encode(&bytes))
    }

    /// Reads what a client calls itself: 1 to 64 letters, digits, `-`, `.`, `_`. Anything else names no application.
    pub fn parse(text: &str) -> Option<Self> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let good = !text.is_empty() && text.len() <= Self::MAX_BYTES && text.bytes().all(known);
        good.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApplicationUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether an application can keep a secret (RFC 6749, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClientType {
    /// It runs on a server and proves itself with its secret.
    Confidential,
    /// It runs at its users and cannot keep a secret; PKCE protects it instead.
    Public,
}

/// A registered application. The secret is here as a digest only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Its id.
    pub id: ApplicationId,
    /// Its public name.
    pub uid: ApplicationUid,
    /// The digest of its secret.
    pub secret: SecretDigest,
    /// The name that users see.
    pub name: String,
    /// Where users may be sent back to, in the order in which they were registered.
    pub redirect_uris: Vec<RedirectUri>,
    /// Where users may be sent back to after they signed out, in the order in which they were registered.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// What it may ask for at most.
    pub scopes: ScopeSet,
    /// Whether it can keep a secret.
    pub client_type: ClientType,
    /// Whether users are not asked for consent; only administrators may set it.
    pub trusted: bool,
    /// Options for its library.
    pub options: ApplicationOptions,
    /// Who registered it; `None` for one of the instance.
    pub owner_id: Option<UserId>,
    /// When it was registered.
    pub created_at: Timestamp,
}

impl Application {
    /// Scopes that the application gets of those that it asks for: all of them, or those that it holds when its requests
    /// are reduced.
    #[must_use]
    pub fn granted_of(&self, requested: ScopeSet) -> ScopeSet {
        if self.options.reduce_scopes {
            requested.intersection(&self.scopes)
        } else {
            requested
        }
    }
}

/// An application to be registered.
#[derive(Debug, Clone)]
pub struct NewApplication {
    /// Its public name, unique.
    pub uid: ApplicationUid,
    /// The digest of its secret.
    pub secret: SecretDigest,
    /// The name that users see.
    pub name: String,
    /// Where users may be sent back to; at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// Where users may be sent back to after they signed out; often none.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// What it may ask for at most.
    pub scopes: ScopeSet,
    /// Whether it can keep a secret.
    pub client_type: ClientType,
    /// Whether users are not asked for consent.
    pub trusted: bool,
    /// Options for its library.
    pub options: ApplicationOptions,
    /// Who registers it; `None` for one of the instance.
    pub owner_id: Option<UserId>,
    /// Now.
    pub created_at: Timestamp,
}

/// What an application is to be from now on. Its uid, secret and owner stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationChange {
    /// The name that users see.
    pub name: String,
    /// Where users may be sent back to; at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// Where users may be sent back to after they signed out; often none.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// What it may ask for at most.
    pub scopes: ScopeSet,
    /// Whether it can keep a secret.
    pub client_type: ClientType,
    /// Whether users are not asked for consent.
    pub trusted: bool,
    /// Options for its library.
    pub options: ApplicationOptions,
}

/// An application that a user lets act, with what all its live grants together permit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The application.
    pub application: Application,
    /// What its live grants together permit.
    pub scopes: ScopeSet,
    /// When the newest of them was given.
    pub authorized_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting;

    impl SecretSource for Counting {
        fn fill(&self, bytes: &mut [u8]) {
            (0_u8..=255)
                .step_by(17)
                .zip(bytes)
                .for_each(|(number, byte)| *byte = number);
        }
    }

    #[test]
    fn a_fresh_name_is_64_hexadecimal_digits() {
        let uid = ApplicationUid::generate(&Counting);
        assert!(
            uid.as_str().starts_with("00112233445566778899aabbccddeeff"),
            "{uid}"
        );
        assert_eq!(
            (uid.as_str().len(), ApplicationUid::parse(uid.as_str())),
            (64, Some(uid.clone()))
        );
    }

    #[test]
    fn a_name_is_short_and_plain() {
        for good in ["a", "A-b.c_9", &"f".repeat(64)] {
            assert_eq!(
                ApplicationUid::parse(good).map(|uid| uid.0).as_deref(),
                Some(good)
            );
        }
        for bad in ["", "a b", "a:b", "ä", "a\0", &"f".repeat(65)] {
            assert_eq!(ApplicationUid::parse(bad), None, "{bad:?}");
        }
    }
}
