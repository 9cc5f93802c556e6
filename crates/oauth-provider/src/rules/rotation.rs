//! Rotation of signing keys: which key signs, which are published, created and deleted (`OAUTH-16`).
//!
//! A key is published before it signs, so that clients that cache the key set know it by then. It stays published after
//! its last signature, until every token that it signed has expired.

use api_conventions::ids::SigningKeyId;
use api_conventions::time::Timestamp;

use crate::model::{SigningAlgorithm, SigningKey};

/// Timing of key rotation. All times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationPolicy {
    /// Time for which a key signs.
    pub period: i64,
    /// Time for which a key is published before it signs, and after the last token that it signed has expired: as long
    /// as clients may cache a key set.
    pub lead: i64,
    /// Lifetime of a token.
    pub token_seconds: i64,
}

impl RotationPolicy {
    /// Default policy: a quarter of a year, with a day before and after.
    pub const DEFAULT: Self = Self {
        period: 90 * 86_400,
        lead: 86_400,
        token_seconds: crate::wire::id_token::LIFETIME_SECONDS,
    };

    /// Returns the same policy with another period, in seconds.
    #[must_use]
    pub const fn with_period(self, period: i64) -> Self {
        Self { period, ..self }
    }
}

/// Next key to create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct NextKey {
    /// Number of the key among those of its algorithm; the store accepts each number only once.
    pub generation: i64,
    /// Time from which it signs.
    pub signs_from: Timestamp,
}

/// Rotation steps that are due at a given time.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RotationPlan<'k> {
    /// Signing key; `None` if there is no key of the algorithm.
    pub signs: Option<&'k SigningKey>,
    /// Keys to publish, including the signing key, in the given order.
    pub published: Vec<&'k SigningKey>,
    /// Keys to delete.
    pub delete: Vec<SigningKeyId>,
    /// Key to create, if one is due.
    pub create: Option<NextKey>,
}

/// Plans the rotation of these keys at `now`, for id tokens signed with `algorithm`.
///
/// The first key of an algorithm signs at once, because no other can sign meanwhile; clients fetch the key set when
/// they meet a new key. Keys of a previously configured algorithm stay until they expire.
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
        create: next(keys, algorithm, policy, now),
    }
}

/// Returns the newest key whose start has passed. If there is none, as after the clock was set back, returns the
/// oldest.
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

/// Returns the first instant at which no client needs the key: its last token and all cached copies have expired.
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

/// Returns the key to create: the first one at once, each further one early enough to be published for the lead.
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

    /// Creates a key from its id, algorithm, generation and start.
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

    /// Ids of the signing, the published and the deleted keys, and the generation and start of the next key.
    type Schedule = (Option<i64>, Vec<i64>, Vec<i64>, Option<(i64, i64)>);

    fn schedule(keys: &[SigningKey], now: i64) -> Schedule {
        let plan = plan(keys, SigningAlgorithm::Rs256, &POLICY, at(now));
        (
            plan.signs.map(|key| key.id.get()),
            plan.published.iter().map(|key| key.id.get()).collect(),
            plan.delete.iter().map(|id| id.get()).collect(),
            plan.create
                .map(|next| (next.generation, next.signs_from.as_unix_seconds())),
        )
    }

    #[test]
    fn the_first_key_is_created_to_sign_immediately() {
        assert_eq!(schedule(&[], 50), (None, vec![], vec![], Some((1, 50))));
        assert_eq!(schedule(&[rs(1, 50)], 50), (Some(1), vec![1], vec![], None));
    }

    #[test]
    fn the_next_key_is_created_one_lead_time_before_it_signs() {
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
