//! Derivation of the token pair that succeeds a refresh token.
//!
//! Both tokens are derived from the presented refresh token and from a seed that the store keeps: its timestamp, with
//! which they begin, and random bytes. A lost refresh response can therefore be repeated, although the store keeps only
//! digests: the client supplies the missing part by presenting the same refresh token.

use api_conventions::secret::{PlainSecret, dated};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::model::{ACCESS_PREFIX, REFRESH_PREFIX, RotationSeed};

/// An access token and a refresh token in the clear.
#[derive(Debug)]
#[non_exhaustive]
pub struct TokenSecrets {
    /// The access token.
    pub access: PlainSecret,
    /// The refresh token.
    pub refresh: PlainSecret,
}

/// Derives the pair that succeeds `presented` with `seed`: always the same one.
pub fn successor(presented: &PlainSecret, seed: RotationSeed) -> TokenSecrets {
    TokenSecrets {
        access: derive(ACCESS_PREFIX, "access", presented, seed),
        refresh: derive(REFRESH_PREFIX, "refresh", presented, seed),
    }
}

/// Computes HMAC-SHA-256 (RFC 2104) with the presented token as key, whose randomness only its holder has.
fn derive(prefix: &str, purpose: &str, presented: &PlainSecret, seed: RotationSeed) -> PlainSecret {
    // Tokens of this server are shorter than one block, so the key is used as it is.
    let mut key = Zeroizing::new([0_u8; 64]);
    for (byte, of_token) in key.iter_mut().zip(presented.reveal().bytes()) {
        *byte = of_token;
    }
    let mac = Hmac::<Sha256>::new(&(*key).into())
        .chain_update(seed.as_bytes())
        .chain_update(purpose.as_bytes())
        .finalize();
    let text = Zeroizing::new(URL_SAFE_NO_PAD.encode(mac.into_bytes()));
    let secret = PlainSecret::new(dated::assemble(prefix, seed.timestamp(), &text));
    // An older version derived the pair without checksums from a token without one, and its response may be repeated
    // by this version. Therefore a pair has the form of the token that it succeeds.
    if presented.has_checksum() {
        secret.with_checksum()
    } else {
        secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(presented: &str, seed: u8) -> [String; 2] {
        let pair = successor(
            &PlainSecret::new(presented),
            RotationSeed::from_bytes([seed; 32]),
        );
        [pair.access, pair.refresh].map(|token| token.reveal().to_owned())
    }

    #[test]
    fn the_same_token_and_seed_give_the_same_pair() {
        assert_eq!(pair("ghor_a", 1), pair("ghor_a", 1));
        let [access, refresh] = pair("ghor_a", 1);
        assert!(access.starts_with(ACCESS_PREFIX) && refresh.starts_with(REFRESH_PREFIX));
        assert_eq!((access.len(), refresh.len()), (57, 57));
    }

    #[test]
    fn a_pair_has_checksums_if_the_token_that_it_succeeds_has_one() {
        let presented = PlainSecret::new("ghor_a").with_checksum();
        let pair = successor(&presented, RotationSeed::from_bytes([1; 32]));
        for token in [pair.access, pair.refresh] {
            assert!(token.has_checksum());
            // The key of the next derivation contains the whole token.
            assert_eq!(token.reveal().len(), 63);
        }
        let pair = successor(
            &PlainSecret::new("ghor_a"),
            RotationSeed::from_bytes([1; 32]),
        );
        assert!(!pair.access.has_checksum() && !pair.refresh.has_checksum());
    }

    #[test]
    fn another_token_or_seed_gives_another_pair() {
        let mut all = [pair("ghor_a", 1), pair("ghor_a", 2), pair("ghor_b", 1)].concat();
        for token in &mut all {
            *token = token.split_off(5);
        }
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 6);
    }
}
