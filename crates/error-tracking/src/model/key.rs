//! The public part of a client key.

use std::fmt;

use data_encoding::HEXLOWER;

/// Public part of a client key, as in a DSN: 32 lower-case hexadecimal digits, the only form that every SDK and relay
/// accepts.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey(String);

impl PublicKey {
    /// Number of digits.
    pub const LENGTH: usize = 32;

    /// Creates a key from 16 random bytes.
    pub fn from_random(bytes: [u8; 16]) -> Self {
        Self(HEXLOWER.encode(&bytes))
    }

    /// Parses a key in its only form; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        let is_key = text.len() == Self::LENGTH && text.bytes().all(is_digit);
        is_key.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for PublicKey {
    /// Hides the digits: roles below Maintainer may not see them, and logs have other readers.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PublicKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_from_random_bytes_reads_back() {
        let key = PublicKey::from_random([0xab; 16]);
        assert_eq!(key.as_str(), "ab".repeat(16));
        assert_eq!(PublicKey::parse(key.as_str()), Some(key));
    }

    #[test]
    fn other_texts_are_no_keys_and_no_key_is_shown_to_logs() {
        for text in [
            "",
            "AB",
            &"AB".repeat(16),
            &"xy".repeat(16),
            &"ab".repeat(17),
        ] {
            assert_eq!(PublicKey::parse(text), None, "{text}");
        }
        let key = PublicKey::from_random([0xab; 16]);
        assert!(!format!("{key:?}").contains("ab"));
    }
}
