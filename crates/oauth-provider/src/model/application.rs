//! Applications that act for users: clients, in the words of RFC 6749.

use std::fmt;

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::{SecretDigest, SecretSource};
use api_conventions::time::Timestamp;
use data_encoding::HEXLOWER;

use super::ApplicationOptions;
use crate::rules::redirect_uri::RedirectUri;

/// Prefix of a client secret.
pub const SECRET_PREFIX: &str = "ghos_";

/// The public name of an application, its `client_id` (RFC 6749, section 2.2).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ApplicationUid(String);

impl ApplicationUid {
    /// Maximum length in bytes.
    pub const MAX_BYTES: usize = 64;

    /// Generates a uid: 32 random bytes as 64 hexadecimal digits.
    pub fn generate(source: &dyn SecretSource) -> Self {
        let mut bytes = [0_u8; 32];
        source.fill(&mut bytes);
        Self(HEXLOWER.encode(&bytes))
    }

    /// Parses a `client_id`: 1 to 64 letters, digits, `-`, `.`, `_`. Any other text names no application.
    pub fn parse(text: &str) -> Option<Self> {
        let known = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
        let good = !text.is_empty() && text.len() <= Self::MAX_BYTES && text.bytes().all(known);
        good.then(|| Self(text.to_owned()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ApplicationUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Client type, by the ability to keep a secret (RFC 6749, section 2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ClientType {
    /// Client on a server, authenticated by its secret.
    Confidential,
    /// Client on a user's device that cannot keep a secret; PKCE protects it instead.
    Public,
}

/// A registered application, with only a digest of its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// Application id.
    pub id: ApplicationId,
    /// Public name, the `client_id`.
    pub uid: ApplicationUid,
    /// Digest of the client secret.
    pub secret: SecretDigest,
    /// Name shown to users.
    pub name: String,
    /// Redirect URIs, in the order of registration.
    pub redirect_uris: Vec<RedirectUri>,
    /// Redirect URIs after sign-out, in the order of registration.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// Scopes that it may request at most.
    pub scopes: ScopeSet,
    /// Client type, confidential or public.
    pub client_type: ClientType,
    /// True if users need not consent; only administrators may set it.
    pub trusted: bool,
    /// Options for the application's OAuth library.
    pub options: ApplicationOptions,
    /// User who registered it; `None` for an application of the instance.
    pub owner_id: Option<UserId>,
    /// Time of registration.
    pub created_at: Timestamp,
}

impl Application {
    /// Returns the scopes to grant for a request: all requested ones, or only those that the application holds if the
    /// option `reduce_scopes` is set.
    #[must_use]
    pub fn granted_of(&self, requested: ScopeSet) -> ScopeSet {
        if self.options.reduce_scopes {
            requested.intersection(&self.scopes)
        } else {
            requested
        }
    }
}

/// An application to register.
#[derive(Debug, Clone)]
pub struct NewApplication {
    /// Public name, unique.
    pub uid: ApplicationUid,
    /// Digest of the client secret.
    pub secret: SecretDigest,
    /// Name shown to users.
    pub name: String,
    /// Redirect URIs; at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// Redirect URIs after sign-out; often none.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// Scopes that it may request at most.
    pub scopes: ScopeSet,
    /// Client type, confidential or public.
    pub client_type: ClientType,
    /// True if users need not consent.
    pub trusted: bool,
    /// Options for the application's OAuth library.
    pub options: ApplicationOptions,
    /// User who registers it; `None` for an application of the instance.
    pub owner_id: Option<UserId>,
    /// Current time.
    pub created_at: Timestamp,
}

/// New values of an application. Its uid, secret and owner do not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationChange {
    /// Name shown to users.
    pub name: String,
    /// Redirect URIs; at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// Redirect URIs after sign-out; often none.
    pub post_logout_redirect_uris: Vec<RedirectUri>,
    /// Scopes that it may request at most.
    pub scopes: ScopeSet,
    /// Client type, confidential or public.
    pub client_type: ClientType,
    /// True if users need not consent.
    pub trusted: bool,
    /// Options for the application's OAuth library.
    pub options: ApplicationOptions,
}

/// An application that a user authorized, with the scopes of all its live grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizedApplication {
    /// The application.
    pub application: Application,
    /// Scopes of all its live grants together.
    pub scopes: ScopeSet,
    /// Time of the newest live grant.
    pub authorized_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    struct PatternSecrets;

    impl SecretSource for PatternSecrets {
        fn fill(&self, bytes: &mut [u8]) {
            (0_u8..=255)
                .step_by(17)
                .zip(bytes)
                .for_each(|(number, byte)| *byte = number);
        }
    }

    #[test]
    fn a_fresh_name_is_64_hexadecimal_digits() {
        let uid = ApplicationUid::generate(&PatternSecrets);
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
