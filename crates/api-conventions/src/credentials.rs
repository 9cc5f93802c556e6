//! The `Authorization` header (RFC 9110, section 11.6.2).

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};

use crate::secret::PlainSecret;

/// Longest credentials in bytes; longer ones are rejected.
pub const MAX_BYTES: usize = 8 * 1024;

/// Credentials of an `Authorization` header.
#[derive(Debug)]
pub enum Authorization {
    /// `Bearer`: a token (RFC 6750).
    Bearer(PlainSecret),
    /// `Basic`: a user name and a password (RFC 7617). The user name may be empty.
    Basic {
        /// User name.
        username: String,
        /// The password.
        password: PlainSecret,
    },
}

impl Authorization {
    /// Parses the header's value. The scheme is case-insensitive; returns `None` for any other scheme and for malformed
    /// values.
    pub fn parse(value: &str) -> Option<Self> {
        let (scheme, rest) = value.trim().split_once(' ')?;
        let rest = rest.trim();
        if rest.is_empty() || rest.len() > MAX_BYTES {
            return None;
        }
        if scheme.eq_ignore_ascii_case("bearer") {
            return Some(Self::Bearer(PlainSecret::new(rest)));
        }
        if !scheme.eq_ignore_ascii_case("basic") {
            return None;
        }
        let bytes = STANDARD
            .decode(rest)
            .or_else(|_| STANDARD_NO_PAD.decode(rest))
            .ok()?;
        let text = String::from_utf8(bytes).ok()?;
        let (username, password) = text.split_once(':')?;
        Some(Self::Basic {
            username: username.to_owned(),
            password: PlainSecret::new(password),
        })
    }

    /// Returns the secret: the token or the password.
    pub fn into_secret(self) -> PlainSecret {
        match self {
            Self::Bearer(token) => token,
            Self::Basic { password, .. } => password,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn secret(value: &str) -> Option<String> {
        Authorization::parse(value).map(|found| found.into_secret().reveal().to_owned())
    }

    #[test]
    fn both_schemes_are_read_in_any_case() {
        let basic = |text: &str| format!("Basic {}", STANDARD.encode(text));
        let cases = [
            ("Bearer abc".to_owned(), Some("abc")),
            ("bEARER  abc ".to_owned(), Some("abc")),
            (basic(":key"), Some("key")),
            (basic("name:k:e:y"), Some("k:e:y")),
            (basic("no colon"), None),
            ("Basic ***".to_owned(), None),
            ("Bearer ".to_owned(), None),
            ("Bearer".to_owned(), None),
            ("Digest abc".to_owned(), None),
            (format!("Bearer {}", "x".repeat(MAX_BYTES + 1)), None),
        ];
        for (value, expected) in cases {
            assert_eq!(secret(&value).as_deref(), expected, "{value:.40}");
        }
    }

    proptest! {
        #[test]
        fn any_name_and_password_come_back(name in "[^:\\x00]{0,20}", password in "[^\\x00]{0,20}") {
            let value = format!("Basic {}", STANDARD.encode(format!("{name}:{password}")));
            prop_assert_eq!(secret(&value), Some(password));
        }

        #[test]
        fn any_text_is_read_or_refused(value in "\\PC{0,60}") {
            if let Some(found) = secret(&value) {
                prop_assert!(found.len() <= MAX_BYTES);
            }
        }
    }
}
