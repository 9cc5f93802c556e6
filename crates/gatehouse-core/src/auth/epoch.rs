//! Watcher for revocations made by other processes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use accounts::{Revocation, RevocationSubject};
use storage::{Store as _, StoreError};

use super::revocations::RevocationTracker;
use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Maximum age of the last read of the epoch while the caches are used.
/// It bounds how long an unreachable database can keep revoked credentials alive.
pub const MAX_STALENESS: Duration = Duration::from_secs(3);

/// Maximum number of revocations per read. If there are more, every cache entry is invalidated.
const MAX_REVOCATIONS: usize = 10_000;

/// Reads the epoch periodically and records new revocations, until the task is dropped.
/// A revocation in another process takes effect here within about the [interval](BackgroundJob::interval) of the job. While the
/// epoch cannot be read, tokens are checked in the database.
pub async fn watch(jobs: BackgroundJobs, database: Arc<Database>) {
    let mut watcher = Watcher::default();
    let run = async |_| watcher.look(&database).await;
    jobs.repeat(BackgroundJob::WatchRevocations, run).await;
}

/// Deletes old revocations periodically, until the task is dropped.
/// Each revocation is kept for one to two intervals. A process that was disconnected for longer drops everything it
/// cached before.
pub async fn forget_regularly(jobs: BackgroundJobs, database: Arc<Database>) {
    let mut passed = None;
    let run = async |_| {
        passed = Some(forget(&database, passed).await?);
        Ok::<_, StoreError>(())
    };
    jobs.repeat(BackgroundJob::ForgetRevocations, run).await;
}

/// Deletes the revocations up to the epoch `passed`, which was read a while ago. Returns the current epoch.
async fn forget(database: &Database, passed: Option<i64>) -> Result<i64, StoreError> {
    let epoch: i64 = database.read_for_auth(|tx| tx.auth_epoch()).await?;
    if let Some(passed) = passed {
        let forgotten = database.write(move |tx| tx.forget_revocations_through(passed));
        forgotten.await?;
    }
    Ok(epoch)
}

/// The epoch up to which revocations are known.
#[derive(Debug, Default)]
struct Watcher {
    known: Option<i64>,
}

impl Watcher {
    /// Reads and records new revocations.
    async fn look(&mut self, database: &Database) -> Result<(), StoreError> {
        // The time before the read is the one that is confirmed.
        let queried_at = Instant::now();
        let known = self.known;
        let (epoch, news) = database
            .read_for_auth(move |tx| {
                let epoch = tx.auth_epoch()?;
                let news = match known {
                    Some(known) if known < epoch => {
                        tx.list_revocations_after(known, MAX_REVOCATIONS)?
                    }
                    _ => Vec::new(),
                };
                Ok::<_, StoreError>((epoch, news))
            })
            .await?;
        self.learn(epoch, &news, database.revocations());
        database.revocations().confirm(queried_at);
        Ok(())
    }

    /// Records the revocations up to `epoch`. Treats everything as revoked if `news` is incomplete.
    fn learn(&mut self, epoch: i64, news: &[Revocation], revocations: &RevocationTracker) {
        // Values read before this time may have been read before the revocation.
        let now = Instant::now();
        if self
            .known
            .is_some_and(|known| is_complete(known, epoch, news))
        {
            let revoked: Vec<RevocationSubject> = news.iter().map(|end| end.revoked).collect();
            revocations.note(&revoked, now);
        } else {
            revocations.note(&[RevocationSubject::Everything], now);
        }
        self.known = Some(epoch);
    }
}

/// True if `news` contains every revocation after `known` and up to `epoch`.
/// It does not if some were already deleted, if there are too many, if an older program raised the epoch without
/// recording revocations, or if the database was restored to an earlier state.
fn is_complete(known: i64, epoch: i64, news: &[Revocation]) -> bool {
    if news.len() >= MAX_REVOCATIONS || epoch < known {
        return false;
    }
    let mut last = known;
    for end in news {
        if end.epoch > last + 1 {
            return false;
        }
        last = end.epoch;
    }
    last == epoch
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;

    fn end(epoch: i64) -> Revocation {
        Revocation {
            epoch,
            revoked: RevocationSubject::User(UserId::new(epoch)),
        }
    }

    #[test]
    fn revocations_are_complete_only_without_an_epoch_gap() {
        let ends = |epochs: &[i64]| epochs.iter().copied().map(end).collect::<Vec<_>>();
        for (known, epoch, epochs, complete) in [
            (5, 5, &[][..], true),
            (5, 7, &[6, 7], true),
            (5, 7, &[6, 6, 7, 7, 7], true),
            (5, 7, &[7], false),
            (5, 7, &[6], false),
            (5, 8, &[6, 8], false),
            (5, 6, &[], false),
            (5, 4, &[], false),
        ] {
            let found = is_complete(known, epoch, &ends(epochs));
            assert_eq!(found, complete, "{known} to {epoch}: {epochs:?}");
        }
        let too_many = vec![end(6); MAX_REVOCATIONS];
        assert!(!is_complete(5, 6, &too_many));
    }

    #[test]
    fn a_gap_revokes_everything_and_a_revocation_only_its_subject() {
        let revocations = RevocationTracker::new();
        let mut watcher = Watcher::default();
        let ann = [RevocationSubject::User(UserId::new(6))];
        let bob = [RevocationSubject::User(UserId::new(7))];
        let fresh_after = |watcher: &mut Watcher, epoch, news: &[Revocation]| {
            let read_at = Instant::now();
            watcher.learn(epoch, news, &revocations);
            let now = Instant::now();
            revocations.confirm(now);
            [ann, bob].map(|subject| revocations.are_unrevoked(&subject, read_at, now))
        };
        // Before the first read, nothing is known of earlier revocations.
        assert_eq!(fresh_after(&mut watcher, 5, &[]), [false; 2]);
        assert_eq!(fresh_after(&mut watcher, 5, &[]), [true; 2]);
        assert_eq!(fresh_after(&mut watcher, 6, &[end(6)]), [false, true]);
        assert_eq!(fresh_after(&mut watcher, 8, &[end(8)]), [false; 2]);
        assert_eq!(fresh_after(&mut watcher, 8, &[]), [true; 2]);
    }
}
