//! Secret that is displayed but not confirmed yet.
//! It travels in the form, sealed, so that nothing is stored for a user who leaves the page.

use accounts::TimeSecret;
use api_conventions::ids::SessionId;
use api_conventions::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use gatehouse_core::vault::Vault;

/// Time to confirm a secret, in seconds.
const SECONDS: i64 = 1800;

/// Length of the timestamp before the secret, in bytes.
const TIMESTAMP_BYTES: usize = 8;

/// Secret that waits for confirmation.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) secret: TimeSecret,
    shown_at: Timestamp,
}

impl Setup {
    /// Wraps a secret that is displayed now.
    pub(super) fn new(secret: TimeSecret, now: Timestamp) -> Self {
        Self {
            secret,
            shown_at: now,
        }
    }

    /// Seals the secret for the form.
    /// Only the same session can open it.
    pub(super) fn seal(&self, vault: &Vault, session: SessionId) -> String {
        let timestamp = self.shown_at.as_micros().to_be_bytes();
        let plain = Zeroizing::new([&timestamp[..], self.secret.as_bytes()].concat());
        URL_SAFE_NO_PAD.encode(vault.seal(&context(session), &plain))
    }

    /// Opens the value of a submitted form.
    /// `None` if it was forged, belongs to another session, or is too old.
    pub(super) fn open(
        vault: &Vault,
        session: SessionId,
        sealed: &str,
        now: Timestamp,
    ) -> Option<Self> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let plain = vault.open(&context(session), &sealed).ok()?;
        let (timestamp, secret) = plain.split_at_checked(TIMESTAMP_BYTES)?;
        let micros = i64::from_be_bytes(timestamp.try_into().ok()?);
        let shown_at = Timestamp::from_micros(micros)?;
        (now < shown_at.plus_seconds(SECONDS)).then(|| Self {
            secret: TimeSecret::from_bytes(Zeroizing::new(secret.to_vec())),
            shown_at,
        })
    }
}

fn context(session: SessionId) -> String {
    format!("second factor set up in session {session}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SecretKey;
    use gatehouse_core::randomness::OsRandomness;

    #[test]
    fn a_secret_comes_back_in_its_session_and_in_time_only() {
        let vault = Vault::new(&SecretKey::parse(&"11".repeat(32)).unwrap());
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000).unwrap();
        let (ours, other) = (SessionId::new(1), SessionId::new(2));
        let setup = Setup::new(TimeSecret::generate(&OsRandomness), at(100));
        let sealed = setup.seal(&vault, ours);
        let opened = Setup::open(&vault, ours, &sealed, at(100 + SECONDS - 1)).unwrap();
        assert_eq!(opened.secret.as_bytes(), setup.secret.as_bytes());
        assert!(Setup::open(&vault, ours, &sealed, at(100 + SECONDS)).is_none());
        assert!(Setup::open(&vault, other, &sealed, at(100)).is_none());
        assert!(Setup::open(&vault, ours, "AAAA", at(100)).is_none());
        assert!(Setup::open(&vault, ours, "ä", at(100)).is_none());
    }
}
