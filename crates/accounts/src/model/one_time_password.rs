//! Time-based one-time passwords (RFC 6238) as common authenticator apps generate them: six digits, steps of thirty
//! seconds, HMAC-SHA-1.

use std::fmt;

use api_conventions::secret::SecretSource;
use api_conventions::time::Timestamp;
use data_encoding::BASE32_NOPAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use sha1::Sha1;
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// Length of a secret in bytes: 160 bits, as RFC 4226, section 4 recommends.
pub const SECRET_BYTES: usize = 20;
/// Length of a time step in seconds (RFC 6238, section 4.1).
pub const STEP_SECONDS: i64 = 30;
/// Number of steps that a phone's clock may be off in either direction (RFC 6238, section 5.2 recommends one).
pub const SKEW_STEPS: i64 = 1;
/// Number of digits of a password.
pub const DIGITS: usize = 6;

/// Secret shared by the server and an authenticator app. Its memory is zeroed on drop, and `Debug` prints nothing of
/// it.
pub struct TimeSecret(Zeroizing<Vec<u8>>);

impl TimeSecret {
    /// Generates a secret.
    pub fn generate(source: &dyn SecretSource) -> Self {
        let mut bytes = Zeroizing::new(vec![0_u8; SECRET_BYTES]);
        source.fill(&mut bytes);
        Self(bytes)
    }

    /// Wraps a stored secret.
    pub fn from_bytes(bytes: Zeroizing<Vec<u8>>) -> Self {
        Self(bytes)
    }

    /// Bytes of the secret, to be sealed and stored.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Encodes the secret for typing into an app: base32 (RFC 4648, section 6) without padding.
    pub fn to_base32(&self) -> Zeroizing<String> {
        Zeroizing::new(BASE32_NOPAD.encode(&self.0))
    }

    /// Returns the URI for the QR code, in the key URI format that all authenticator apps support.
    pub fn uri(&self, issuer: &str, account: &str) -> Zeroizing<String> {
        let [issuer, account] = [issuer, account].map(|text| utf8_percent_encode(text, RESERVED));
        Zeroizing::new(format!(
            "otpauth://totp/{issuer}:{account}?secret={}&issuer={issuer}",
            self.to_base32().as_str()
        ))
    }

    /// Returns the step that the password belongs to, among the steps within the skew at `now` and after `last_step`.
    pub fn matching_step(&self, password: &str, last_step: i64, now: Timestamp) -> Option<i64> {
        let digits: String = password.chars().filter(|c| !c.is_whitespace()).collect();
        let present = step_at(now);
        (present - SKEW_STEPS..=present + SKEW_STEPS)
            .filter(|step| *step > last_step)
            .find(|step| same(&self.password(*step), &digits))
    }

    /// Returns the password of a step (RFC 4226, section 5.3).
    pub fn password(&self, step: i64) -> Zeroizing<String> {
        let number = truncated(&self.mac(step)) % 1_000_000;
        Zeroizing::new(format!("{number:06}"))
    }

    #[expect(
        clippy::expect_used,
        reason = "HMAC takes keys of any length (RFC 2104, section 2); a fallback password would let callers in"
    )]
    fn mac(&self, step: i64) -> [u8; 20] {
        let mut mac = Hmac::<Sha1>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.update(&step.to_be_bytes());
        mac.finalize().into_bytes().into()
    }
}

impl fmt::Debug for TimeSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TimeSecret")
    }
}

/// Returns the time step of a time.
pub fn step_at(now: Timestamp) -> i64 {
    now.as_unix_seconds().div_euclid(STEP_SECONDS)
}

/// Dynamic truncation: the last four bits give the offset of the number, whose first bit is cleared.
fn truncated(mac: &[u8; 20]) -> u32 {
    let [.., last] = *mac;
    let offset = usize::from(last & 15);
    let bytes = mac.iter().skip(offset).take(4);
    bytes.fold(0_u32, |number, byte| (number << 8) | u32::from(*byte)) & 0x7fff_ffff
}

/// Compares in constant time.
fn same(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

/// All characters except the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

#[cfg(test)]
mod tests {
    use super::*;

    fn rfc_secret() -> TimeSecret {
        TimeSecret::from_bytes(Zeroizing::new(b"12345678901234567890".to_vec()))
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    /// RFC 6238, appendix B. Its passwords have eight digits; the last six are ours.
    #[test]
    fn passwords_are_those_of_the_rfc() {
        for (seconds, password) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(
                rfc_secret().password(step_at(at(seconds))).as_str(),
                password
            );
        }
    }

    /// A secret of a different length was sealed by other software; its passwords are still derived from it.
    #[test]
    fn a_secret_of_any_length_has_passwords_of_its_own() {
        let passwords = [0, 1, 19, 20, 64, 65, 200].map(|length| {
            let secret = TimeSecret::from_bytes(Zeroizing::new(vec![7; length]));
            secret.password(1).as_str().to_owned()
        });
        for (at, password) in passwords.iter().enumerate() {
            assert_ne!(password, "000000");
            assert!(!passwords[..at].contains(password), "{passwords:?}");
        }
    }

    #[test]
    fn a_clock_may_be_off_by_one_step_and_no_more() {
        let secret = rfc_secret();
        let password = secret.password(100);
        for (step, found) in [
            (98, None),
            (99, Some(100)),
            (100, Some(100)),
            (101, Some(100)),
            (102, None),
        ] {
            let now = at(step * STEP_SECONDS + 7);
            assert_eq!(secret.matching_step(&password, 0, now), found, "at {step}");
        }
    }

    #[test]
    fn a_spent_step_matches_no_more() {
        let secret = rfc_secret();
        let now = at(100 * STEP_SECONDS);
        let password = secret.password(100);
        assert_eq!(secret.matching_step(&password, 99, now), Some(100));
        assert_eq!(secret.matching_step(&password, 100, now), None);
    }

    #[test]
    fn spaces_are_no_part_of_a_password_and_other_lengths_are_none() {
        let secret = rfc_secret();
        let now = at(100 * STEP_SECONDS);
        let password = secret.password(100);
        let (left, right) = password.split_at(3);
        assert!(
            secret
                .matching_step(&format!(" {left} {right}"), 0, now)
                .is_some()
        );
        for wrong in ["", "0", left, &format!("{}0", password.as_str())] {
            assert_eq!(secret.matching_step(wrong, 0, now), None, "{wrong:?}");
        }
    }

    /// RFC 4648, section 10.
    #[test]
    fn base32_is_that_of_the_rfc() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            let secret = TimeSecret::from_bytes(Zeroizing::new(plain.as_bytes().to_vec()));
            assert_eq!(secret.to_base32().as_str(), encoded);
        }
    }

    #[test]
    fn the_uri_names_issuer_and_account() {
        assert_eq!(
            rfc_secret().uri("Gate house", "ann&co").as_str(),
            "otpauth://totp/Gate%20house:ann%26co?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Gate%20house"
        );
    }
}
