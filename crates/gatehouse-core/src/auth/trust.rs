//! What this process knows of losses of power, its own and those of others.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use accounts::Revoked;

use super::epoch::TRUST;
use super::memory::Memory;

/// How old an entry of any cache may get. Whatever takes power away is noted, so this bounds how old names may be, and
/// what a fault could keep alive.
pub const MAX_AGE: Duration = Duration::from_mins(1);

/// How old an application's token may get in the cache. Grouped work ends tokens without telling other processes: so
/// long they may take them at most.
pub const GRANT_AGE: Duration = Duration::from_secs(1);

/// What this process knows of losses of power. All caches ask it, and [`Database`](crate::database::Database) tells it
/// what each write took away.
#[derive(Debug)]
pub struct Trust {
    base: Instant,
    /// Until when all losses are known, in nanoseconds from the base and one more; zero is never.
    known_until: AtomicU64,
    /// Grants end with every refresh, so they are remembered for as long as their tokens get old, and no longer.
    grants: Memory,
    others: Memory,
}

impl Trust {
    /// Nothing is known and nothing is trusted yet.
    pub fn new() -> Self {
        Self::since(Instant::now())
    }

    fn since(base: Instant) -> Self {
        Self {
            base,
            known_until: AtomicU64::new(0),
            grants: Memory::new(base, GRANT_AGE),
            others: Memory::new(base, MAX_AGE),
        }
    }

    /// Notes what had lost power by `now`.
    pub fn note(&self, revoked: &[Revoked], now: Instant) {
        for revoked in revoked {
            match revoked {
                Revoked::Everything => {
                    self.grants.note(*revoked, now);
                    self.others.note(*revoked, now);
                }
                Revoked::Grant(_) => self.grants.note(*revoked, now),
                Revoked::User(_)
                | Revoked::Session(_)
                | Revoked::Token(_)
                | Revoked::Application(_)
                | Revoked::Endpoint(_) => self.others.note(*revoked, now),
            }
        }
    }

    /// Notes that all losses of power are known that were committed before `asked_at`.
    pub fn confirm(&self, asked_at: Instant) {
        let known = self.since_base(asked_at).saturating_add(1);
        self.known_until.fetch_max(known, Ordering::AcqRel);
    }

    /// Whether what follows from all `subjects` can be trusted at `now`, if the reading of it began at `read_at`.
    pub fn holds(&self, subjects: &[Revoked], read_at: Instant, now: Instant) -> bool {
        self.is_up_to_date(now)
            && !subjects.iter().any(|subject| {
                let memory = match subject {
                    Revoked::Grant(_) => &self.grants,
                    _ => &self.others,
                };
                memory.may_have_lost(*subject, read_at, now)
            })
    }

    /// Whether the losses of power in other processes are known well enough.
    fn is_up_to_date(&self, now: Instant) -> bool {
        let known = self.known_until.load(Ordering::Acquire);
        let trust = u64::try_from(TRUST.as_nanos()).unwrap_or(u64::MAX);
        known > 0 && self.since_base(now).saturating_sub(known) <= trust
    }

    fn since_base(&self, at: Instant) -> u64 {
        let since = at.saturating_duration_since(self.base);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::{GrantId, UserId};

    const ANN: Revoked = Revoked::User(UserId::new(1));
    const BOB: Revoked = Revoked::User(UserId::new(2));
    const GRANT: Revoked = Revoked::Grant(GrantId::new(1));

    #[test]
    fn nothing_is_trusted_before_the_first_confirmation() {
        let now = Instant::now();
        let trust = Trust::since(now);
        assert!(!trust.holds(&[ANN], now, now));
        trust.confirm(now);
        assert!(trust.holds(&[ANN], now, now));
    }

    #[test]
    fn trust_ends_when_the_confirmation_is_old() {
        let base = Instant::now();
        let trust = Trust::since(base);
        trust.confirm(base + TRUST);
        // A reading that took long confirms what it began with.
        trust.confirm(base);
        let last = base + TRUST * 2;
        assert!(trust.holds(&[ANN], last, last));
        let later = last + Duration::from_millis(1);
        assert!(!trust.holds(&[ANN], later, later));
    }

    #[test]
    fn a_loss_concerns_what_follows_from_it_and_nothing_else() {
        let base = Instant::now();
        let trust = Trust::since(base);
        let now = base + Duration::from_millis(500);
        trust.confirm(now);
        trust.note(&[BOB], now);
        assert!(trust.holds(&[ANN, GRANT], base, now));
        assert!(!trust.holds(&[ANN, BOB], base, now));
        trust.note(&[GRANT], now);
        assert!(!trust.holds(&[ANN, GRANT], base, now));
        assert!(trust.holds(&[ANN], base, now));
        trust.note(&[Revoked::Everything], now);
        assert!(!trust.holds(&[ANN], base, now));
    }

    #[test]
    fn entries_have_an_age_limit_and_those_of_applications_a_shorter_one() {
        let base = Instant::now();
        let trust = Trust::since(base);
        let still = |subject, age: Duration| {
            trust.confirm(base + age);
            trust.holds(&[subject], base, base + age)
        };
        assert!(still(GRANT, Duration::from_millis(999)) && !still(GRANT, GRANT_AGE));
        assert!(still(ANN, Duration::from_millis(59_999)) && !still(ANN, MAX_AGE));
    }
}
