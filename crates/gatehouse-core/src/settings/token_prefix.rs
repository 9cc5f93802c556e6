//! Prefix of new access tokens.

use accounts::model::{DEPLOY_PREFIX, INVITATION_PREFIX, SESSION_PREFIX, TOKEN_PREFIX};
use alert_intake::model::KEY_PREFIX;
use api_conventions::secret::PlainSecret;
use oauth_provider::model::{
    ACCESS_PREFIX, CODE_PREFIX, HANDLE_PREFIX, REFRESH_PREFIX, SECRET_PREFIX,
};
use pipelines::model::{REGISTRATION_PREFIX, RUNNER_PREFIX};

use crate::randomness::OsRandomness;

/// Longest prefix, in characters.
const MAX_CHARACTERS: usize = 20;

/// Prefixes of the other secrets of this platform.
/// A token with one of the first two is looked up among access tokens of applications, or deploy tokens.
const RESERVED: [&str; 11] = [
    ACCESS_PREFIX,
    INVITATION_PREFIX,
    DEPLOY_PREFIX,
    REFRESH_PREFIX,
    CODE_PREFIX,
    SECRET_PREFIX,
    HANDLE_PREFIX,
    KEY_PREFIX,
    SESSION_PREFIX,
    RUNNER_PREFIX,
    REGISTRATION_PREFIX,
];

/// Prefix of new access tokens, by which people and secret scanners recognize them.
/// Tokens are found by their digests, so issued ones stay valid when the prefix changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenPrefix(String);

/// Reasons to refuse a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TokenPrefixError {
    /// The prefix is empty, too long, or has other characters.
    #[error("must be 1 to {MAX_CHARACTERS} of the characters A-Z a-z 0-9 - _")]
    Characters,
    /// The prefix begins like the one of other secrets, or is its beginning.
    #[error(
        "begins like {reserved}, the prefix of other secrets; choose another one, such as ghat_"
    )]
    Reserved {
        /// Prefix of the other secrets.
        reserved: &'static str,
    },
}

impl TokenPrefix {
    /// Parses a prefix.
    ///
    /// # Errors
    /// See [`TokenPrefixError`].
    pub fn parse(text: &str) -> Result<Self, TokenPrefixError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if text.is_empty() || text.len() > MAX_CHARACTERS || !text.bytes().all(is_plain) {
            return Err(TokenPrefixError::Characters);
        }
        // The random part of a token could complete the beginning of a reserved prefix.
        let is_ambiguous =
            |reserved: &&str| text.starts_with(*reserved) || reserved.starts_with(text);
        match RESERVED.into_iter().find(is_ambiguous) {
            Some(reserved) => Err(TokenPrefixError::Reserved { reserved }),
            None => Ok(Self(text.to_owned())),
        }
    }

    /// Returns the prefix.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Generates the secret of a new token.
    pub fn new_secret(&self) -> PlainSecret {
        PlainSecret::generate(&self.0, &OsRandomness)
    }
}

impl Default for TokenPrefix {
    fn default() -> Self {
        Self(TOKEN_PREFIX.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_a_valid_prefix() {
        let default = TokenPrefix::default();
        assert_eq!(TokenPrefix::parse(default.as_str()), Ok(default));
    }

    #[test]
    fn a_new_secret_begins_with_the_prefix() {
        for text in ["x", "acme-", "Acme_2026-", "abcdefghijklmnopqrst"] {
            let secret = TokenPrefix::parse(text).unwrap().new_secret();
            assert!(secret.reveal().starts_with(text), "{text}");
            assert_eq!(secret.reveal().len(), text.len() + 32 + 6, "{text}");
            assert!(secret.has_checksum(), "{text}");
        }
    }

    #[test]
    fn a_prefix_of_other_characters_or_lengths_is_refused() {
        for text in [
            "",
            " ",
            "a b",
            "acme:",
            "acmé_",
            "a.b",
            "abcdefghijklmnopqrstu",
        ] {
            let refused = TokenPrefix::parse(text);
            assert_eq!(refused, Err(TokenPrefixError::Characters), "{text}");
        }
    }

    /// A personal token that looks like an application's would not be found.
    #[test]
    fn a_prefix_that_could_be_confused_with_another_one_is_refused() {
        for text in [
            "ghoa_", "ghoa_x", "ghoa", "gh", "g", "ghor_", "ghse_", "ghak_1",
        ] {
            let refused = TokenPrefix::parse(text);
            assert!(
                matches!(refused, Err(TokenPrefixError::Reserved { .. })),
                "{text}"
            );
        }
        for text in ["ghat_", "ghx", "Ghoa_", "my-ghoa_"] {
            assert!(TokenPrefix::parse(text).is_ok(), "{text}");
        }
    }
}
