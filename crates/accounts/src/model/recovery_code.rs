//! Recovery codes, with which a user signs in after losing the phone.

use std::fmt;
use std::sync::LazyLock;

use api_conventions::secret::{PlainSecret, SecretDigest, SecretSource};
use data_encoding::{Encoding, Specification};
use zeroize::Zeroizing;

/// Number of codes in a set.
pub const CODES: usize = 10;

/// Random bytes of a code: 80 bits, so that its digest does not reveal it.
const BYTES: usize = 10;

/// Letters and digits that are not easily confused: no i, l, o and u (Crockford's base32).
const ALPHABET: &str = "0123456789abcdefghjkmnpqrstvwxyz";

/// Base32 with that alphabet, without padding.
#[expect(
    clippy::expect_used,
    reason = "the alphabet is a constant of 32 different letters, which a test encodes with"
)]
static ENCODING: LazyLock<Encoding> = LazyLock::new(|| {
    let mut specification = Specification::new();
    specification.symbols.push_str(ALPHABET);
    let encoding = specification.encoding();
    encoding.expect("an alphabet of 32 different letters is valid")
});

/// Recovery code in plain text. It is shown once; only its digest is stored.
pub struct RecoveryCode(PlainSecret);

impl RecoveryCode {
    /// Generates a code.
    pub fn generate(source: &dyn SecretSource) -> Self {
        let mut bytes = Zeroizing::new([0_u8; BYTES]);
        source.fill(bytes.as_mut_slice());
        Self(PlainSecret::new(ENCODING.encode(bytes.as_slice())))
    }

    /// Generates a set of [`CODES`] codes.
    pub fn generate_set(source: &dyn SecretSource) -> Vec<Self> {
        (0..CODES).map(|_| Self::generate(source)).collect()
    }

    /// Parses a typed code: ignores spaces, dashes and case, and reads letters missing from the alphabet as the digits
    /// they resemble. Returns `None` if the text cannot be a code.
    pub fn parse(typed: &str) -> Option<Self> {
        let ignored = |c: &char| c.is_whitespace() || matches!(c, '-' | '–' | '—');
        let mut code = Zeroizing::new(String::with_capacity(BYTES * 8 / 5));
        for letter in typed.chars().filter(|c| !ignored(c)) {
            let letter = match letter.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                other => other,
            };
            if !ALPHABET.contains(letter) || code.len() >= BYTES * 8 / 5 {
                return None;
            }
            code.push(letter);
        }
        (code.len() == BYTES * 8 / 5).then(|| Self(PlainSecret::new(code.as_str())))
    }

    /// Returns the digest to store or look up.
    pub fn digest(&self) -> SecretDigest {
        self.0.digest()
    }

    /// Formats the code for display, in groups of four.
    pub fn to_groups(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(20));
        for (place, letter) in self.0.reveal().chars().enumerate() {
            if place > 0 && place % 4 == 0 {
                text.push('-');
            }
            text.push(letter);
        }
        text
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct SteppedSource;

    impl SecretSource for SteppedSource {
        fn fill(&self, bytes: &mut [u8]) {
            (0_u8..)
                .step_by(19)
                .zip(bytes)
                .for_each(|(number, byte)| *byte = number);
        }
    }

    #[test]
    fn a_code_is_shown_in_groups_and_read_back() {
        let code = RecoveryCode::generate(&SteppedSource);
        let shown = code.to_groups();
        assert_eq!(shown.len(), 19, "{}", shown.as_str());
        assert_eq!(RecoveryCode::parse(&shown).unwrap().digest(), code.digest());
    }

    #[test]
    fn parsing_ignores_case_spacing_and_lookalike_characters() {
        let digest = RecoveryCode::parse("0123-4567-1abc-defg").unwrap().digest();
        for typed in [
            "01234567 1ABCDEFG",
            " 0123 4567 1abc defg ",
            "O123-4567-LABC-DEFG",
            "o123–4567–iabc–defg",
        ] {
            assert_eq!(
                RecoveryCode::parse(typed).unwrap().digest(),
                digest,
                "{typed}"
            );
        }
    }

    #[test]
    fn malformed_codes_are_rejected() {
        for typed in [
            "",
            "123456",
            "0123-4567-89ab-cdef-0",
            "0123-4567-89ab-cdeu",
            "0123-4567-89ab-cde!",
        ] {
            assert!(RecoveryCode::parse(typed).is_none(), "{typed:?}");
        }
    }

    #[test]
    fn a_set_has_ten_codes() {
        assert_eq!(RecoveryCode::generate_set(&SteppedSource).len(), 10);
    }
}
