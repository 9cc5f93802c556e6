//! Repository traits for usage.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::usage::{Use, UseSum};

/// Queries on the usage of deprecated features, for both kinds of transactions.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait UseQueries {
    /// Lists the uses by a user, at most `limit`, the last used first.
    fn list_uses_of_user(&mut self, user: UserId, limit: usize) -> Result<Vec<Use>, StoreError>;

    /// Lists the uses of the record with this id, at most `limit`, the last used first.
    fn list_uses_of_record(&mut self, record: &str, limit: usize) -> Result<Vec<Use>, StoreError>;

    /// Sums all uses of the record with this id; `None` if there are none.
    /// Reads at most [`MAX_SUMMED`](crate::usage::MAX_SUMMED) rows, those that were used last.
    fn sum_uses_of_record(&mut self, record: &str) -> Result<Option<UseSum>, StoreError>;
}

/// Changes to the usage of deprecated features, for write transactions.
///
/// # Errors
/// Every method returns a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(add_uses, delete_uses_before, delete_uses_of))]
pub trait UseRepository: UseQueries {
    /// Adds uses to the stored ones, as [`UseCount::add`](crate::usage::UseCount::add) does, atomically.
    /// Each key occurs only once in `uses`.
    fn add_uses(&mut self, uses: &[Use]) -> Result<(), StoreError>;

    /// Deletes at most `limit` rows that were last used before a time. Returns the number of deleted rows; 0 when none
    /// was left.
    fn delete_uses_before(&mut self, last_at: Timestamp, limit: usize)
    -> Result<usize, StoreError>;

    /// Deletes at most `limit` rows of a user who is deleted. Returns the number of deleted rows; 0 when none was left.
    fn delete_uses_of(&mut self, user: UserId, limit: usize) -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of uses, to be held behind `dyn`.
    /// Every [`Store`](storage::Store) whose transactions have these repository traits is one.
    pub trait UseStore {
        /// Transaction passed to a read closure of a [`UseStore`].
        type Read: UseReadTx = UseQueries;
        /// Transaction passed to a write closure of a [`UseStore`].
        type Write: UseWriteTx = UseRepository;
    }
}
