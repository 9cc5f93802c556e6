//! Usage of deprecated features: collected in memory and flushed periodically, never on the request path; and its
//! reports.
//!
//! Uses that were collected but not flushed are lost when the process is killed: at most those of the last
//! [interval](BackgroundJob::interval), or since the last successful flush. If a connection breaks just as the database commits, uses may be
//! counted twice.

mod counters;
mod report;

pub use report::{NamedUse, report_of_record, report_of_user};

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use deprecations::{Holder, Use, UseCount};
use storage::{Store as _, StoreError};

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};
use counters::UseCounters;

/// Uses that are not stored yet.
///
/// At most [`MAX_KEYS`](Self::MAX_KEYS) combinations of record, user and holder have their own count, which takes about
/// 2 MB. Beyond that, a use is counted under [`Holder::Others`] of its record; there is one such count for each record.
#[derive(Debug, Default)]
pub struct DeprecationUses(Mutex<UseCounters>);

impl DeprecationUses {
    /// Maximum number of combinations of user and holder with their own count, over all records.
    pub const MAX_KEYS: usize = counters::MAX_KEYS;

    /// Counts a use of the record with this id by a request of a user.
    pub fn note(&self, record: &str, user: UserId, holder: Holder, now: Timestamp) {
        let who = (holder != Holder::Others).then_some((user, holder));
        self.counters().add(record, who, UseCount::once(now));
    }

    /// Stores the collected uses in one write. After a failure they are kept for the next flush.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn flush(&self, database: &Database) -> Result<(), StoreError> {
        self.flush_by(|uses| database.write(move |tx| tx.add_uses(&uses)))
            .await
    }

    /// Takes the collected uses, passes them to `write`, and puts them back if that fails.
    async fn flush_by<W>(&self, write: impl FnOnce(Arc<Vec<Use>>) -> W) -> Result<(), StoreError>
    where
        W: Future<Output = Result<(), StoreError>>,
    {
        let uses = Arc::new(self.counters().take());
        if uses.is_empty() {
            return Ok(());
        }
        let written = write(Arc::clone(&uses)).await;
        if written.is_err() {
            let mut counters = self.counters();
            for one in uses.iter() {
                let key = &one.key;
                let who = key.user().map(|user| (user, key.holder()));
                counters.add(key.record(), who, one.count);
            }
        }
        written
    }

    /// Locks the collected uses. No panic can leave them inconsistent, because nothing that can panic runs in the
    /// middle of a change.
    fn counters(&self) -> MutexGuard<'_, UseCounters> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Flushes the collected uses periodically, until the task is dropped.
pub async fn flush_regularly(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    uses: Arc<DeprecationUses>,
) {
    let run = async |_| uses.flush(&database).await;
    jobs.repeat(BackgroundJob::SaveDeprecationUses, run).await;
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::future::ready;

    use api_conventions::ids::TokenId;
    use deprecations::UseKey;
    use storage::StoreErrorKind;

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::MIN.plus_seconds(seconds)
    }

    fn token(number: i64) -> Holder {
        Holder::Token(TokenId::new(number))
    }

    fn used(key: UseKey, uses: u64, [first, last]: [i64; 2]) -> Use {
        Use {
            key,
            count: UseCount {
                uses,
                first_at: at(first),
                last_at: at(last),
            },
        }
    }

    /// Flushes into a list of the uses passed to each write; `fails` makes the writes fail.
    async fn flush_into(uses: &DeprecationUses, fails: bool) -> Vec<Vec<Use>> {
        let writes = RefCell::new(Vec::new());
        let outcome = uses.flush_by(|given| {
            let mut given = given.to_vec();
            given.sort_by(|one, other| one.key.cmp(&other.key));
            writes.borrow_mut().push(given);
            let failure = StoreError::new(StoreErrorKind::Unavailable, "simulated failure");
            ready(if fails { Err(failure) } else { Ok(()) })
        });
        assert_eq!(outcome.await.is_err(), fails && !writes.borrow().is_empty());
        writes.into_inner()
    }

    #[tokio::test]
    async fn collected_uses_are_written_once() {
        let uses = DeprecationUses::default();
        assert_eq!(flush_into(&uses, false).await, Vec::<Vec<Use>>::new());
        let ann = UserId::new(1);
        for (record, holder, seconds) in [
            ("a", token(1), 5),
            ("b", Holder::Session, 6),
            ("a", token(1), 9),
            ("a", token(1), 2),
            ("a", Holder::Others, 3),
        ] {
            uses.note(record, ann, holder, at(seconds));
        }
        let wanted = vec![
            used(UseKey::of_others("a"), 1, [3, 3]),
            used(UseKey::new("a", ann, token(1)), 3, [2, 9]),
            used(UseKey::new("b", ann, Holder::Session), 1, [6, 6]),
        ];
        assert_eq!(flush_into(&uses, false).await, [wanted]);
        assert_eq!(flush_into(&uses, false).await, Vec::<Vec<Use>>::new());
    }

    #[tokio::test]
    async fn uses_of_failed_flushes_are_merged_with_later_uses() {
        let uses = DeprecationUses::default();
        let ann = UserId::new(1);
        uses.note("a", ann, token(1), at(5));
        uses.note("a", ann, Holder::Others, at(5));
        uses.note("b", ann, token(1), at(1));
        assert_eq!(flush_into(&uses, true).await.len(), 1);
        uses.note("a", ann, token(1), at(8));
        uses.note("c", ann, token(1), at(9));
        let wanted = vec![
            used(UseKey::of_others("a"), 1, [5, 5]),
            used(UseKey::new("a", ann, token(1)), 2, [5, 8]),
            used(UseKey::new("b", ann, token(1)), 1, [1, 1]),
            used(UseKey::new("c", ann, token(1)), 1, [9, 9]),
        ];
        let wanted = vec![wanted];
        for fails in [true, true, false] {
            assert_eq!(flush_into(&uses, fails).await, wanted);
        }
    }

    #[tokio::test]
    async fn a_database_holds_the_sum_of_all_flushes() {
        use crate::settings::{DatabaseSettings, DatabaseUrl};
        use storage::Lane;

        let directory = tempfile::tempdir().unwrap();
        let database = crate::database::open(&DatabaseSettings {
            read_timeout: std::time::Duration::from_secs(30),
            write_timeout: std::time::Duration::from_secs(30),
            ..DatabaseSettings::at(DatabaseUrl::Sqlite(
                directory.path().join("gatehouse.sqlite3"),
            ))
        });
        let database = database.unwrap();
        database.migrate().unwrap();
        let uses = DeprecationUses::default();
        let ann = UserId::new(1);
        let list = || {
            let listed = database.read(Lane::Shared, move |tx| tx.list_uses_of_user(ann, 9));
            let listed: Result<Vec<Use>, StoreError> = listed.wait();
            listed.unwrap()
        };
        for seconds in [1, 4] {
            uses.note("a", ann, Holder::Session, at(seconds));
            uses.flush(&database).await.unwrap();
        }
        let wanted = vec![used(UseKey::new("a", ann, Holder::Session), 2, [1, 4])];
        assert_eq!(list(), wanted);
        // Uses are kept for 90 days after the last one.
        let end = 4 + 90 * 86_400;
        for (seconds, kept) in [(end, wanted), (end + 1, Vec::new())] {
            let background = crate::background::Background::new(&database);
            let retention = crate::cleaning::Retention {
                idle_seconds: 86_400,
                alerts: crate::cleaning_alerts::AlertRetention {
                    alert_days: 0,
                    receipt_days: 0,
                },
                mail: crate::flows::account_mail::OutgoingMail::Off,
            };
            let cleaned = crate::cleaning::clean(&background, at(seconds), retention);
            cleaned.await.unwrap();
            assert_eq!(list(), kept);
        }
    }
}
