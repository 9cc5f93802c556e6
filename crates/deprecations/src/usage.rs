//! Who uses what is announced: how often, since when and until when, by user and by what they use it with.

use api_conventions::ids::{ApplicationId, TokenId, UserId};
use api_conventions::page::Total;
use api_conventions::time::Timestamp;

/// The most uses that are counted under one key. A count that reaches it stays there, and so does a count that is given as
/// more. Sums of as many rows as are ever summed have room in 64 bits.
pub const MAX_USES: u64 = 1 << 48;

/// The most rows that are summed, those that were used last: as many holders as a [`Total`] tells, one more that shows that there are
/// more, and [`Holder::Others`].
pub const MAX_SUMMED: usize = 10_002;

/// What a request was authenticated with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// A browser that is signed in.
    Session,
    /// A personal access token.
    Token(TokenId),
    /// An application, for the user who authorized it.
    Application(ApplicationId),
    /// All of whom it is no longer known what they used, because more of them were collected at once than are kept apart.
    Others,
}

/// What uses are counted under: a record, a user and a holder.
///
/// [`Holder::Others`] are of no user, and there is no way to make a key that says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UseKey {
    record: String,
    user: Option<UserId>,
    holder: Holder,
}

impl UseKey {
    /// The key of a user's uses of a record, by its [id](crate::Record::id). The user of [`Holder::Others`] is left out.
    pub fn new(record: impl Into<String>, user: UserId, holder: Holder) -> Self {
        Self {
            record: record.into(),
            user: (holder != Holder::Others).then_some(user),
            holder,
        }
    }

    /// The key of the uses of a record of which no holder is known.
    pub fn of_others(record: impl Into<String>) -> Self {
        Self {
            record: record.into(),
            user: None,
            holder: Holder::Others,
        }
    }

    /// The id of the record.
    pub fn record(&self) -> &str {
        &self.record
    }

    /// The user; none of [`Holder::Others`].
    pub fn user(&self) -> Option<UserId> {
        self.user
    }

    /// What the user used it with.
    pub fn holder(&self) -> Holder {
        self.holder
    }
}

/// How often something was used, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseCount {
    /// How many requests used it, at most [`MAX_USES`].
    pub uses: u64,
    /// When the first of them came.
    pub first_at: Timestamp,
    /// When the last of them came.
    pub last_at: Timestamp,
}

impl UseCount {
    /// One use.
    pub fn once(at: Timestamp) -> Self {
        Self {
            uses: 1,
            first_at: at,
            last_at: at,
        }
    }

    /// Adds other uses: the counts are added, the earlier beginning and the later end stay.
    pub fn add(&mut self, other: Self) {
        let both = self.uses.saturating_add(other.uses);
        self.uses = both.min(MAX_USES);
        self.first_at = self.first_at.min(other.first_at);
        self.last_at = self.last_at.max(other.last_at);
    }
}

/// Uses under one key: what is added, and what is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// Whose uses of what they are.
    pub key: UseKey,
    /// How many they are, and when.
    pub count: UseCount,
}

/// All uses of one record together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UseSum {
    /// How many holders are known. [`Holder::Others`] is none.
    pub holders: Total,
    /// How many uses these and [`Holder::Others`] made. Where the holders are [beyond](Total::Beyond) what is counted, only those of
    /// the [`MAX_SUMMED`] last ones are added, so there were at least as many.
    pub uses: u64,
    /// When the last use was.
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
