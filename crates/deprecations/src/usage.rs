//! Usage of deprecated features: counts and times, by user and credential.

use api_conventions::ids::{ApplicationId, TokenId, UserId};
use api_conventions::page::Total;
use api_conventions::time::Timestamp;

/// Maximum number of uses under one key.
/// A count that reaches it stays there, and a larger given count is reduced to it. Sums of as many rows as are ever
/// summed fit into 64 bits.
pub const MAX_USES: u64 = 1 << 48;

/// Maximum number of rows that are summed, those that were used last.
/// This is as many holders as a [`Total`] counts, one more that shows that there are more, and [`Holder::Others`].
pub const MAX_SUMMED: usize = 10_002;

/// Credential of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A browser session.
    Session,
    /// A personal access token.
    Token(TokenId),
    /// An OAuth application, for the user who authorized it.
    Application(ApplicationId),
    /// Unknown credentials: too many combinations were collected at once to count each separately.
    Others,
}

/// Key of a count: a record, a user and a holder.
///
/// A key with [`Holder::Others`] never has a user, and none can be created that does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UseKey {
    record: String,
    user: Option<UserId>,
    holder: Holder,
}

impl UseKey {
    /// Creates the key of a user's uses of a record, by its [id](crate::Record::id). With [`Holder::Others`], the user
    /// is left out.
    pub fn new(record: impl Into<String>, user: UserId, holder: Holder) -> Self {
        Self {
            record: record.into(),
            user: (holder != Holder::Others).then_some(user),
            holder,
        }
    }

    /// Creates the key of a record's uses by unknown holders.
    pub fn of_others(record: impl Into<String>) -> Self {
        Self {
            record: record.into(),
            user: None,
            holder: Holder::Others,
        }
    }

    /// Id of the record.
    pub fn record(&self) -> &str {
        &self.record
    }

    /// The user; `None` for [`Holder::Others`].
    pub fn user(&self) -> Option<UserId> {
        self.user
    }

    /// Credential of the user.
    pub fn holder(&self) -> Holder {
        self.holder
    }
}

/// Number of uses, with the first and last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseCount {
    /// Number of requests that used it, at most [`MAX_USES`].
    pub uses: u64,
    /// Time of the first request.
    pub first_at: Timestamp,
    /// Time of the last request.
    pub last_at: Timestamp,
}

impl UseCount {
    /// Creates a count of one use.
    pub fn once(at: Timestamp) -> Self {
        Self {
            uses: 1,
            first_at: at,
            last_at: at,
        }
    }

    /// Adds other uses: the counts are summed, and the earlier first time and the later last time are kept.
    pub fn add(&mut self, other: Self) {
        let both = self.uses.saturating_add(other.uses);
        self.uses = both.min(MAX_USES);
        self.first_at = self.first_at.min(other.first_at);
        self.last_at = self.last_at.max(other.last_at);
    }
}

/// Uses under one key, to be added or as listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// Record, user and holder of the uses.
    pub key: UseKey,
    /// Number and times of the uses.
    pub count: UseCount,
}

/// Sum of all uses of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseSum {
    /// Number of known holders, without [`Holder::Others`].
    pub holders: Total,
    /// Number of uses by these holders and [`Holder::Others`].
    /// If the holders are [beyond](Total::Beyond) what is counted, only the [`MAX_SUMMED`] last ones are summed, so
    /// this is a lower bound.
    pub uses: u64,
    /// Time of the last use.
    pub last_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::MIN.plus_seconds(seconds)
    }

    #[test]
    fn others_are_of_no_user() {
        let key = UseKey::new("a", UserId::new(1), Holder::Others);
        assert_eq!(key, UseKey::of_others("a"));
        assert_eq!((key.user(), key.holder()), (None, Holder::Others));
        let token = Holder::Token(TokenId::new(2));
        let key = UseKey::new("a", UserId::new(1), token);
        assert_eq!(key.user(), Some(UserId::new(1)));
        assert_eq!((key.record(), key.holder()), ("a", token));
    }

    #[test]
    fn counts_are_added_and_span_both() {
        let mut count = UseCount::once(at(5));
        count.add(UseCount {
            uses: 2,
            first_at: at(1),
            last_at: at(3),
        });
        count.add(UseCount::once(at(9)));
        let wanted = UseCount {
            uses: 4,
            first_at: at(1),
            last_at: at(9),
        };
        assert_eq!(count, wanted);
    }

    #[test]
    fn a_full_count_stays_full() {
        let mut count = UseCount::once(at(0));
        for uses in [MAX_USES, u64::MAX] {
            count.add(UseCount {
                uses,
                ..UseCount::once(at(0))
            });
            assert_eq!(count.uses, MAX_USES);
        }
    }

    #[test]
    fn as_many_full_counts_as_are_summed_have_room() {
        assert_eq!(u64::try_from(MAX_SUMMED).unwrap(), Total::COUNTED + 2);
        let rows = i64::try_from(MAX_SUMMED).unwrap();
        let full = i64::try_from(MAX_USES).unwrap();
        assert!(rows.checked_mul(full).is_some());
    }
}
