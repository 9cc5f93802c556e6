//! The repository traits of the spam log.

use api_conventions::ids::{SpamLogId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewSpamLog, SpamLog};

/// Read queries on the spam log, in read and write transactions.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait SpamQueries {
    /// The entry with this id.
    fn find_spam_log(&mut self, id: SpamLogId) -> Result<Option<SpamLog>, StoreError>;

    /// At most `limit` entries, the most recently held first.
    /// Among equal ones the greater id comes first.
    fn list_spam_logs(&mut self, limit: usize) -> Result<Vec<SpamLog>, StoreError>;
}

/// Write operations on the spam log.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::repository(keeps(
    put_spam_log,
    trim_spam_logs,
    record_captcha_solved,
    delete_spam_logs_before
))]
pub trait SpamRepository: SpamQueries {
    /// Holds a submission and returns its entry.
    /// A repeated submission of the same user increments the counter, and sets the new reason and time.
    fn put_spam_log(&mut self, new: &NewSpamLog) -> Result<SpamLog, StoreError>;

    /// Deletes all entries of a user except the latest `keep`, and returns the number deleted.
    fn trim_spam_logs(&mut self, user: UserId, keep: usize) -> Result<usize, StoreError>;

    /// Records that a CAPTCHA was solved for an entry.
    /// Returns `false` if the entry does not exist.
    fn record_captcha_solved(&mut self, id: SpamLogId, at: Timestamp) -> Result<bool, StoreError>;

    /// Deletes at most `limit` entries last held before a time, and returns the number deleted; 0 when none was left.
    fn delete_spam_logs_before(
        &mut self,
        last_at: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
