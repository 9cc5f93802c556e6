//! Which key signs, which ones are published, which one comes next, and which ones go (`OAUTH-16`).
//!
//! A key is published before it signs, so that clients that keep the key set for a while know it by then; and it stays
//! published after its last signature, until nothing that it signed is good any more.

use api_conventions::ids::SigningKeyId;
use api_conventions::time::Timestamp;

use crate::model::{SigningAlgorithm, SigningKey};

/// How the keys change. All times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationPolicy {
    /// How long a key signs.
    pub period: i64,
    /// How long a key is published before it signs, and after the last token that it signed has ended: as long as
    /// clients may keep a key set.
    pub lead: i64,
    /// How long a token is good.
    pub token_seconds: i64,
}

impl RotationPolicy {
    /// A quarter of a year, with a day before and after.
    pub const DEFAULT: Self = Self {
        period: 90 * 86_400,
        lead: 86_400,
        token_seconds: crate::wire::id_token::LIFETIME_SECONDS,
    };

    /// The same with another period, in seconds.
    #[must_use]
    pub const fn with_period(self, period: i64) -> Self {
        Self { period, ..self }
    }
}

/// The key to be made next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextKey {
    /// Which one of its algorithm it is; the store takes each once: the first that comes.
    pub generation: i64,
    /// From when on it signs.
    pub signs_from: Timestamp,
}

/// What is to be done at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationPlan<'k> {
    /// The key that signs; `None` as long as there is none of the algorithm.
    pub signs: Option<&'k SigningKey>,
    /// The keys to publish, the signing one among them, in the order in which they were given.
    pub published: Vec<&'k SigningKey>,
    /// The keys to delete.
    pub delete: Vec<SigningKeyId>,
    /// The key to make, if one is due.
    pub make: Option<NextKey>,
}

/// Says what is to be done with these keys at `now`, when id tokens are to be signed with `algorithm`.
///
/// The first key of an algorithm signs at once, because there is none to sign meanwhile; clients fetch the key set when
/// they meet a new key. Keys of another algorithm, which was configured before, stay until their own time is over.
pub fn plan<'k>(
    keys: &'k [SigningKey],
    algorithm: SigningAlgorithm,
    policy: &RotationPolicy,
    now: Timestamp,
) -> RotationPlan<'k> {
    let signs = signing(keys, algorithm, now);
    let is_kept = |key: &&SigningKey| {
        let is_signing = signs.is_some_and(|signing| signing.id == key.id);
        is_signing || now < last_timestamp(key, keys, policy)
    };
    let (published, spent): (Vec<_>, Vec<_>) = keys.iter().partition(is_kept);
    RotationPlan {
        signs,
        published,
        delete: spent.iter().map(|key| key.id).collect(),
        make: next(keys, algorithm, policy, now),
    }
}

/// The newest key whose time has come. When none has, as after the clock was set back, the oldest.
fn signing(
    keys: &[SigningKey],
    algorithm: SigningAlgorithm,
    now: Timestamp,
) -> Option<&SigningKey> {
    let mine = || keys.iter().filter(|key| key.algorithm == algorithm);
    mine()
        .filter(|key| key.signs_from <= now)
        .max_by_key(|key| key.generation)
        .or_else(|| mine().min_by_key(|key| key.generation))
}

/// The first instant at which nobody needs the key: its last token has ended, and so has the copy that a client kept.
/// Without a successor it signs for a whole period.
fn last_timestamp(key: &SigningKey, keys: &[SigningKey], policy: &RotationPolicy) -> Timestamp {
    let successor = keys
        .iter()
        .filter(|other| other.algorithm == key.algorithm && other.generation > key.generation)
        .map(|other| other.signs_from)
        .min();
    let end = successor.unwrap_or_else(|| key.signs_from.plus_seconds(policy.period));
    end.plus_seconds(policy.token_seconds + policy.lead)
}

/// The key to make: the first one at once, each further one early enough to be published for the lead.
fn next(
    keys: &[SigningKey],
    algorithm: SigningAlgorithm,
    policy: &RotationPolicy,
    now: Timestamp,
) -> Option<NextKey> {
    let newest = keys
        .iter()
        .filter(|key| key.algorithm == algorithm)
        .max_by_key(|key| key.generation);
    let Some(newest) = newest else {
        return Some(NextKey {
            generation: 1,
            signs_from: now,
        });
    };
    let end = newest.signs_from.plus_seconds(policy.period);
    let published_by_end = now.plus_seconds(policy.lead);
    (end <= published_by_end).then(|| NextKey {
        generation: newest.generation + 1,
        signs_from: end.max(published_by_end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: RotationPolicy = RotationPolicy {
        period: 900,
        lead: 100,
        token_seconds: 10,
    };

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000).unwrap()
    }

    /// Id, algorithm, generation, and from when on it signs.
    fn key(id: i64, algorithm: SigningAlgorithm, generation: i64, signs_from: i64) -> SigningKey {
        SigningKey {
            id: SigningKeyId::new(id),
            kid: format!("k{id}"),
            algorithm,
            generation,
            public_jwk: String::new(),
            sealed: Vec::new(),
            created_at: at(0),
            signs_from: at(signs_from),
        }
    }

    fn rs(generation: i64, signs_from: i64) -> SigningKey {
        key(generation, SigningAlgorithm::Rs256, generation, signs_from)
    }

    /// Who signs, who is published, who goes, and the generation and start of the one to be made.
    type Schedule = (Option<i64>, Vec<i64>, Vec<i64>, Option<(i64, i64)>);

    fn schedule(keys: &[SigningKey], now: i64) -> Schedule {
        let plan = plan(keys, SigningAlgorithm::Rs256, &POLICY, at(now));
        (
            plan.signs.map(|key| key.id.get()),
            plan.published.iter().map(|key| key.id.get()).collect(),
            plan.delete.iter().map(|id| id.get()).collect(),
            plan.make
                .map(|next| (next.generation, next.signs_from.as_unix_seconds())),
        )
    }

    #[test]
    fn the_first_key_is_made_to_sign_at_once() {
        assert_eq!(schedule(&[], 50), (None, vec![], vec![], Some((1, 50))));
        assert_eq!(schedule(&[rs(1, 50)], 50), (Some(1), vec![1], vec![], None));
    }

    #[test]
    fn the_next_key_is_made_the_lead_before_it_signs() {
        let keys = [rs(1, 0)];
        assert_eq!(schedule(&keys, 799), (Some(1), vec![1], vec![], None));
        assert_eq!(
            schedule(&keys, 800),
            (Some(1), vec![1], vec![], Some((2, 900)))
        );
    }

    #[test]
    fn a_server_that_was_off_still_publishes_before_it_signs() {
        let keys = [rs(1, 0)];
        assert_eq!(
            schedule(&keys, 5000),
            (Some(1), vec![1], vec![], Some((2, 5100)))
        );
        let keys = [rs(1, 0), rs(2, 5100)];
        assert_eq!(schedule(&keys, 5099), (Some(1), vec![1, 2], vec![], None));
        assert_eq!(schedule(&keys, 5100), (Some(2), vec![1, 2], vec![], None));
    }

    #[test]
    fn the_next_key_signs_from_its_timestamp_on() {
        let keys = [rs(1, 0), rs(2, 900)];
        assert_eq!(schedule(&keys, 899), (Some(1), vec![1, 2], vec![], None));
        assert_eq!(schedule(&keys, 900), (Some(2), vec![1, 2], vec![], None));
    }

    #[test]
    fn the_old_key_goes_once_its_last_token_and_every_copy_have_ended() {
        let keys = [rs(1, 0), rs(2, 900)];
        assert_eq!(schedule(&keys, 1009), (Some(2), vec![1, 2], vec![], None));
        assert_eq!(schedule(&keys, 1010), (Some(2), vec![2], vec![1], None));
    }

    #[test]
    fn the_signing_key_is_never_deleted() {
        assert_eq!(schedule(&[rs(1, 0)], 1_000_000).0, Some(1));
        assert_eq!(schedule(&[rs(1, 0)], 1_000_000).2, Vec::<i64>::new());
    }

    #[test]
    fn a_clock_that_was_set_back_still_finds_a_key() {
        let keys = [rs(1, 1000), rs(2, 1900)];
        assert_eq!(schedule(&keys, 10), (Some(1), vec![1, 2], vec![], None));
    }

    #[test]
    fn a_key_of_another_algorithm_stays_until_its_own_time_is_over() {
        let keys = [key(7, SigningAlgorithm::Es256, 1, 0), rs(1, 500)];
        assert_eq!(schedule(&keys, 1009), (Some(1), vec![7, 1], vec![], None));
        assert_eq!(schedule(&keys, 1010), (Some(1), vec![1], vec![7], None));
        let alone = [key(7, SigningAlgorithm::Es256, 1, 0)];
        assert_eq!(schedule(&alone, 10), (None, vec![7], vec![], Some((1, 10))));
    }

    #[test]
    fn the_default_is_a_quarter_of_a_year_with_a_day_around_it() {
        let RotationPolicy { period, lead, .. } = RotationPolicy::DEFAULT;
        assert_eq!((period, lead), (7_776_000, 86_400));
    }
}
