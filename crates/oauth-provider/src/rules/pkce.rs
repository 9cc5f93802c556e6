//! Proof Key for Code Exchange (RFC 7636), with the method `S256` only (RFC 9700, section 2.1.1).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// Code challenge method, the only one supported.
pub const METHOD: &str = "S256";
/// The length of a challenge: SHA-256 in base64url without padding.
pub const CHALLENGE_BYTES: usize = 43;
/// The shortest verifier (RFC 7636, section 4.1).
pub const MIN_VERIFIER_BYTES: usize = 43;
/// The longest verifier.
pub const MAX_VERIFIER_BYTES: usize = 128;

/// PKCE code challenge, which the code verifier must meet when the code is redeemed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChallenge(String);

impl CodeChallenge {
    /// Parses a challenge: 43 characters of base64url that decode to 32 bytes.
    pub fn parse(text: &str) -> Option<Self> {
        let good = text.len() == CHALLENGE_BYTES && URL_SAFE_NO_PAD.decode(text).is_ok();
        good.then(|| Self(text.to_owned()))
    }

    /// Returns the text to store.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// True if the challenge was derived from `verifier`. A verifier with an invalid format never meets it.
    pub fn is_met_by(&self, verifier: &str) -> bool {
        let answer = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        is_verifier(verifier) && bool::from(answer.as_bytes().ct_eq(self.0.as_bytes()))
    }
}

/// True if a text has the form of a verifier: 43 to 128 letters, digits, `-`, `.`, `_`, `~` (`OAUTH-02`).
///
/// In addition to this alphabet of RFC 7636, section 4.1, a verifier may contain the three other characters of padded
/// standard base64: `+`, `/` and `=`. A widely used client sends them, and the digest proves such a verifier all the
/// same.
pub fn is_verifier(text: &str) -> bool {
    let unreserved =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    let standard_base64 = |byte: u8| matches!(byte, b'+' | b'/' | b'=');
    let known = |byte: u8| unreserved(byte) || standard_base64(byte);
    (MIN_VERIFIER_BYTES..=MAX_VERIFIER_BYTES).contains(&text.len()) && text.bytes().all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn the_example_of_the_rfc_holds() {
        let challenge = CodeChallenge::parse(CHALLENGE).unwrap();
        assert!(challenge.is_met_by(VERIFIER));
        assert!(!challenge.is_met_by(&VERIFIER.replace('d', "e")));
    }

    #[test]
    fn a_challenge_is_32_bytes_in_base64url() {
        for bad in [
            "",
            &CHALLENGE[1..],
            &format!("{CHALLENGE}A"),
            &CHALLENGE.replace('-', "+"),
            &CHALLENGE.replace('E', "="),
            &CHALLENGE.replace('E', " "),
        ] {
            assert_eq!(CodeChallenge::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn a_verifier_has_43_to_128_characters_that_are_unreserved_or_of_base64() {
        assert!(is_verifier(&"a".repeat(43)));
        assert!(is_verifier(&"~".repeat(128)));
        assert!(is_verifier("3q2+7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZ/ho="));
        for bad in [
            "a".repeat(42),
            "a".repeat(129),
            format!("{} ", "a".repeat(43)),
            format!("{}%", "a".repeat(43)),
            format!("{}:", "a".repeat(43)),
            format!("{}\n", "a".repeat(43)),
            "é".repeat(43),
        ] {
            assert!(!is_verifier(&bad), "{bad:?}");
        }
    }

    #[test]
    fn a_verifier_that_breaks_the_grammar_never_meets_its_challenge() {
        let short = "short";
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(short));
        assert!(!CodeChallenge::parse(&challenge).unwrap().is_met_by(short));
    }
}
