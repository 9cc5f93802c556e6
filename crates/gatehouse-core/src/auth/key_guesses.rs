//! Rate limit for lookups of unknown client keys, per address.
//!
//! A client key is not secret and is too long to guess. But each unknown key costs a database lookup, so lookups are
//! limited by address. The limit covers unknown keys only: a valid key does not count against it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use api_conventions::time::Timestamp;
use error_tracking::rules::bucket::{Bucket, Rate};

/// Rate of lookups of unknown keys for one address.
const RATE: Rate = Rate {
    per_minute: 60,
    burst: 100,
};
/// Maximum number of addresses with their own bucket; the others share one.
const MANY: usize = 10_000;
/// Minimum number of seconds between two sweeps, each of which scans all buckets.
const BETWEEN_SWEEPS: i64 = 10;

/// Rate limit buckets of this process.
#[derive(Debug, Default)]
pub(super) struct KeyGuesses(Mutex<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    of: HashMap<IpAddr, Bucket>,
    /// Bucket shared by all addresses that have none.
    shared: Option<Bucket>,
    swept_at: Option<Timestamp>,
}

impl KeyGuesses {
    /// Takes room for one lookup of a key that may be unknown.
    ///
    /// # Errors
    /// The whole seconds, at least 1, until there is room again.
    pub(super) fn take(&self, from: Option<IpAddr>, now: Timestamp) -> Result<(), u32> {
        self.buckets().bucket(from, now).take(RATE, now)
    }

    /// Returns the room taken for a key that turned out to be valid.
    pub(super) fn put_back(&self, from: Option<IpAddr>, now: Timestamp) {
        self.buckets().bucket(from, now).put_back(RATE);
    }

    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        // Only a failed allocation can panic in here, and it leaves the buckets intact.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Buckets {
    fn bucket(&mut self, from: Option<IpAddr>, now: Timestamp) -> &mut Bucket {
        self.sweep(now);
        let is_room = self.of.len() < MANY;
        let own = from.filter(|from| is_room || self.of.contains_key(from));
        match own {
            Some(from) => self
                .of
                .entry(from)
                .or_insert_with(|| Bucket::full(RATE, now)),
            None => self.shared.get_or_insert_with(|| Bucket::full(RATE, now)),
        }
    }

    /// Removes the buckets that are full again if there are too many, at most once per interval.
    fn sweep(&mut self, now: Timestamp) {
        let is_time = |swept: Timestamp| swept.plus_seconds(BETWEEN_SWEEPS) <= now;
        if self.of.len() >= MANY && self.swept_at.is_none_or(is_time) {
            self.of.retain(|_, bucket| !bucket.is_full(RATE, now));
            self.swept_at = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from_bits(number).into()
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::MIN.plus_seconds(1_000_000 + seconds)
    }

    /// Number of keys that are looked up for an address before it has to wait.
    fn taken(guesses: &KeyGuesses, from: Option<IpAddr>, now: Timestamp) -> u32 {
        (0..1000)
            .take_while(|_| guesses.take(from, now).is_ok())
            .map(|_| 1)
            .sum()
    }

    #[test]
    fn each_address_has_a_rate_of_its_own() {
        let guesses = KeyGuesses::default();
        for from in [Some(address(1)), Some(address(2)), None] {
            assert_eq!(taken(&guesses, from, at(0)), RATE.burst);
            assert_eq!(guesses.take(from, at(0)), Err(1));
            assert_eq!(taken(&guesses, from, at(7)), 7);
        }
    }

    #[test]
    fn a_good_key_takes_nothing() {
        let guesses = KeyGuesses::default();
        for _ in 0..500 {
            assert_eq!(guesses.take(Some(address(1)), at(0)), Ok(()));
            guesses.put_back(Some(address(1)), at(0));
        }
        assert_eq!(taken(&guesses, Some(address(1)), at(0)), RATE.burst);
    }

    #[test]
    fn addresses_beyond_the_many_share_a_rate_until_others_are_forgotten() {
        let guesses = KeyGuesses::default();
        let many = u32::try_from(MANY).unwrap();
        for number in 0..many {
            guesses.take(Some(address(number)), at(0)).unwrap();
        }
        assert_eq!(taken(&guesses, Some(address(many)), at(0)), RATE.burst);
        assert_eq!(taken(&guesses, Some(address(many + 1)), at(0)), 0);
        assert_eq!(taken(&guesses, Some(address(1)), at(0)), RATE.burst - 1);
        assert_eq!(
            taken(&guesses, Some(address(many + 1)), at(BETWEEN_SWEEPS)),
            RATE.burst
        );
        assert_eq!(
            guesses.buckets().of.len(),
            2,
            "one throttled bucket, and a new one"
        );
    }
}
