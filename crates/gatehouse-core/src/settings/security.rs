//! Settings for secrets: how they are protected in the database, and how new ones look.

use std::fmt;
use std::path::PathBuf;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use zeroize::Zeroizing;

use super::token_prefix::TokenPrefix;

/// Settings for the protection and the form of secrets.
#[derive(Debug, Clone)]
pub struct SecuritySettings {
    /// The secret key, if the configuration contains it.
    pub secret_key: Option<SecretKey>,
    /// File of the secret key, used if the configuration does not contain it.
    pub secret_key_file: PathBuf,
    /// Prefix of new access tokens.
    pub token_prefix: TokenPrefix,
}

/// Random bytes that other keys are derived from. They are wiped on drop, and never printed.
#[derive(Clone)]
pub struct SecretKey(Zeroizing<Vec<u8>>);

impl SecretKey {
    /// Minimum length of a key in bytes.
    pub const LEAST_BYTES: usize = 32;

    /// Creates a key from random bytes; `None` if there are too few.
    pub fn new(bytes: Zeroizing<Vec<u8>>) -> Option<Self> {
        (bytes.len() >= Self::LEAST_BYTES).then_some(Self(bytes))
    }

    /// Parses hexadecimal digits, or base64 of either alphabet with or without padding.
    /// A text that consists only of hexadecimal digits is read as such. `None` if it is neither, or too short.
    pub fn parse(text: &str) -> Option<Self> {
        let lenient = GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(false);
        let text = text.trim();
        let bytes = from_hexadecimal(text).or_else(|| {
            let alphabets = [STANDARD, URL_SAFE];
            let mut engines = alphabets
                .iter()
                .map(|one| GeneralPurpose::new(one, lenient));
            engines.find_map(|engine| engine.decode(text).ok())
        });
        Self::new(Zeroizing::new(bytes?))
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey")
    }
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? << 4 | digit(*low)?).ok();
    rest.is_empty().then(|| pairs.iter().map(byte).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_from_hexadecimal_digits_and_from_every_base64() {
        let bytes = [0xfb_u8; 32];
        let texts = [
            "fb".repeat(32),
            "FB".repeat(32),
            format!("{}+/v7", "+/v7".repeat(10)),
            format!("{}+/s=", "+/v7".repeat(10)),
            format!("{}-_s", "-_v7".repeat(10)),
        ];
        for text in texts {
            let key = SecretKey::parse(&text).unwrap();
            assert_eq!(&key.as_bytes()[..32], bytes, "{text}");
        }
    }

    #[test]
    fn a_short_or_garbled_key_is_none() {
        for text in [
            "",
            "swordfish",
            &"fb".repeat(31),
            &"+/v7".repeat(10),
            &"{}".repeat(40),
        ] {
            assert!(SecretKey::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn printing_shows_nothing_of_a_key() {
        let key = SecretKey::parse(&"61".repeat(32)).unwrap();
        assert_eq!(format!("{key:?}"), "SecretKey");
    }
}
