//! System clock and random source, for hosts without their own. Behind the feature `system`.
//!
//! No other module of a portable crate uses either: flows take `now` and a [`SecretSource`] from their caller. A host
//! creates both at its outermost layer and passes them in.
//!
//! ```
//! use api_conventions::secret::PlainSecret;
//! use api_conventions::system::{OsRandomness, SystemClock};
//! use api_conventions::time::Clock as _;
//!
//! let now = SystemClock.now();
//! let token = PlainSecret::generate_dated("ghoa_", &OsRandomness, now);
//! assert!(token.reveal().starts_with("ghoa_"));
//! ```

use std::time::{SystemTime, UNIX_EPOCH};

use crate::secret::SecretSource;
use crate::time::{Clock, Timestamp};

/// Wall clock of the machine, in UTC.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    /// Returns the present time, in microseconds.
    ///
    /// # Panics
    /// Panics if the machine's clock is outside the calendar: without a valid time, the server cannot tell which tokens
    /// have expired, so it must not go on.
    #[expect(
        clippy::disallowed_methods,
        reason = "only this function reads the wall clock"
    )]
    #[expect(
        clippy::expect_used,
        reason = "an invented timestamp would keep expired tokens valid"
    )]
    fn now(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .expect("the clock of the machine is past 1970");
        i64::try_from(since.as_micros())
            .ok()
            .and_then(Timestamp::from_micros)
            .expect("the clock of the machine is within the calendar")
    }
}

/// Random source of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandomness;

impl SecretSource for OsRandomness {
    /// Fills `bytes` with random bytes.
    ///
    /// # Panics
    /// Panics if the machine provides no random bytes: going on would produce guessable secrets.
    #[expect(
        clippy::expect_used,
        reason = "continuing without randomness would be unsafe"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system provides random bytes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_past_the_writing_of_this_test_and_never_far_behind_itself() {
        let first = SystemClock.now();
        assert!(first > Timestamp::parse_rfc3339("2026-01-01T00:00:00Z").unwrap());
        assert!(first <= SystemClock.now().plus_seconds(60));
    }

    #[test]
    fn two_fills_differ() {
        let [mut one, mut two] = [[0_u8; 32]; 2];
        OsRandomness.fill(&mut one);
        OsRandomness.fill(&mut two);
        assert_ne!(one, two);
    }
}
