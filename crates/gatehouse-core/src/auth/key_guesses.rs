//! How many unknown client keys somebody may have looked up.
//!
//! A client key is no secret and too long to be guessed. But who tries many makes the database look for each, so that there is a
//! rate for each address. It is of unknown keys alone: a good one takes nothing of it.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use api_conventions::time::Timestamp;
use error_tracking::rules::bucket::{Bucket, Rate};

/// Unknown keys that are looked up for one address.
const RATE: Rate = Rate {
    per_minute: 60,
    burst: 100,
};
/// Addresses that have a bucket of their own; those beyond share one.
const MANY: usize = 10_000;
/// Seconds between two looks for buckets that are full again, which looks at all of them.
const BETWEEN_SWEEPS: i64 = 10;

/// The buckets of this process.
#[derive(Debug, Default)]
pub(super) struct KeyGuesses(Mutex<Buckets>);

#[derive(Debug, Default)]
struct Buckets {
    of: HashMap<IpAddr, Bucket>,
    /// That of all who have none.
    shared: Option<Bucket>,
    swept_at: Option<Timestamp>,
}

impl KeyGuesses {
    /// Takes room for one key that may be unknown.
    ///
    /// # Errors
    /// The whole seconds, at least 1, until there is room again.
    pub(super) fn take(&self, from: Option<IpAddr>, now: Timestamp) -> Result<(), u32> {
        self.buckets().bucket(from, now).take(RATE, now)
    }

    /// Puts back what was taken for a key that is a good one.
    pub(super) fn put_back(&self, from: Option<IpAddr>, now: Timestamp) {
        self.buckets().bucket(from, now).put_back(RATE);
    }

    fn buckets(&self) -> MutexGuard<'_, Buckets> {
        // A panic in here could only have been one of memory, and the buckets are whole whatever happens.
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

    /// Forgets those that are full again when there are too many, and not again for some time.
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

    /// How many keys are looked up for an address until it has to wait.
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
            "one that waits, and a new one"
        );
    }
}
