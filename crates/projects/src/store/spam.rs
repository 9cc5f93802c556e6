//! The repository traits of the log of spam.

use api_conventions::ids::{SpamLogId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{NewSpamLog, SpamLog};

/// What a transaction of either kind can tell about the log of spam.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait SpamQueries {
    /// The entry with this id.
    fn find_spam_log(&mut self, id: SpamLogId) -> Result<Option<SpamLog>, StoreError>;

    /// At most `limit` entries, the one that was held last first. Among equal ones the greater id comes first.
    fn list_spam_logs(&mut self, limit: usize) -> Result<Vec<SpamLog>, StoreError>;
}

/// What a write transaction can change about the log of spam.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(hold_as_spam, trim_spam_logs, note_solved, delete_spam_logs_before))]
pub trait SpamRepository: SpamQueries {
    /// Holds a submission, and gives its entry. One that the user sent before is counted again, and gets the new reason and time.
    fn hold_as_spam(&mut self, new: &NewSpamLog) -> Result<SpamLog, StoreError>;

    /// Deletes all entries of a user but the last ones, of which so many are kept, and gives how many went.
    fn trim_spam_logs(&mut self, user: UserId, keep: usize) -> Result<usize, StoreError>;

    /// Notes that a CAPTCHA was solved for an entry; whether it is there.
    fn note_solved(&mut self, id: SpamLogId, at: Timestamp) -> Result<bool, StoreError>;

    /// Deletes at most `limit` entries that were last held before a time, and gives how many went; 0 when none was left.
    fn delete_spam_logs_before(
        &mut self,
        last_at: Timestamp,
        limit: usize,
    ) -> Result<usize, StoreError>;
}
