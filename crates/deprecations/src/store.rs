//! The repository traits of uses.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::usage::{Use, UseSum};

/// What a transaction of either kind can tell about the use of deprecated things.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait UseQueries {
    /// What a user uses, at most `limit` rows, the last used first.
    fn list_uses_of_user(&mut self, user: UserId, limit: usize) -> Result<Vec<Use>, StoreError>;

    /// By whom the record with this id is used, at most `limit` rows, the last use first.
    fn list_uses_of_record(&mut self, record: &str, limit: usize) -> Result<Vec<Use>, StoreError>;

    /// All uses of the record with this id together; `None` where nothing of it is used. It reads
    /// [`MAX_SUMMED`](crate::usage::MAX_SUMMED) rows at most, those that were used last.
    fn sum_uses_of_record(&mut self, record: &str) -> Result<Option<UseSum>, StoreError>;
}

/// What a write transaction can change about the use of deprecated things.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(add_uses, delete_uses_before))]
pub trait UseRepository: UseQueries {
    /// Adds uses to what is there, as [`UseCount::add`](crate::usage::UseCount::add) does, all in one step. A key stands in
    /// `uses` once.
    fn add_uses(&mut self, uses: &[Use]) -> Result<(), StoreError>;

    /// Deletes at most `limit` rows whose last use was before a time, and gives how many went; 0 when none was left.
    fn delete_uses_before(&mut self, last_at: Timestamp, limit: usize)
    -> Result<usize, StoreError>;
}

storage::dyn_store! {
    /// A store of uses, to be held behind `dyn`. Every [`Store`](storage::Store) is one whose transactions have these
    /// repository traits.
    pub trait UseStore {
        /// What a read closure of a [`UseStore`] gets.
        type Read: UseReadTx = UseQueries;
        /// What a write closure of a [`UseStore`] gets.
        type Write: UseWriteTx = UseRepository;
    }
}
