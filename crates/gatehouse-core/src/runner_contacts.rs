//! Last contacts of runners: kept in memory and stored in batches, never on the request path.
//!
//! The stored time of a runner is renewed at most every 40 to 55 minutes, so that many runners that poll for jobs cost
//! few writes. A status is decided by the later of both times. Other processes see the stored one, which is never so old
//! that a runner in contact would be offline.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use api_conventions::ids::RunnerId;
use api_conventions::time::Timestamp;
use pipelines::model::{ContactFilter, ContactState, Runner, RunnerContact, RunnerInfo};
use pipelines::rules::{ONLINE_SECONDS, contact_filter};
use storage::{Store as _, StoreError};

use crate::database::Database;
use crate::jobs::{BackgroundJob, BackgroundJobs};

/// Shortest time between two stored contacts of a runner, in seconds.
const LEAST_SECONDS: i64 = 40 * 60;

/// Most minutes by which that time is longer, depending on the runner, so that not all are written at once.
const SPREAD_MINUTES: i64 = 15;

/// Contacts of runners in the last two hours.
#[derive(Debug, Default)]
pub struct RunnerContacts(Mutex<Contacts>);

#[derive(Debug, Default)]
struct Contacts {
    seen: HashMap<RunnerId, SeenRunner>,
    waiting: HashMap<RunnerId, RunnerContact>,
}

#[derive(Debug, Clone, Copy)]
struct SeenRunner {
    at: Timestamp,
    /// Contact that is stored, or waits for the next flush.
    written_at: Timestamp,
}

impl RunnerContacts {
    /// Records a contact of a stored runner at `now`, with the facts that it reports.
    pub fn note(&self, runner: &Runner, info: RunnerInfo, now: Timestamp) {
        let mut contacts = self.contacts();
        let known = contacts.seen.get(&runner.id).map(|seen| seen.written_at);
        let written = known.max(runner.contacted_at);
        let is_due = written.is_none_or(|at| at.plus_seconds(interval_of(runner.id)) <= now);
        if is_due {
            let contact = RunnerContact {
                id: runner.id,
                at: now,
                info,
            };
            contacts.waiting.insert(runner.id, contact);
        }
        let seen = SeenRunner {
            at: now,
            written_at: if is_due { now } else { written.unwrap_or(now) },
        };
        contacts.seen.insert(runner.id, seen);
    }

    /// Sets the last contact of a runner to the later of the stored one and the one in memory.
    pub fn update(&self, runner: &mut Runner) {
        let seen = self.contacts().seen.get(&runner.id).map(|seen| seen.at);
        runner.contacted_at = runner.contacted_at.max(seen);
    }

    /// Creates the filter for a state of the contact at `now`, which considers the contacts in memory.
    pub fn filter(&self, state: ContactState, now: Timestamp) -> ContactFilter {
        let mut filter = contact_filter(state, now);
        let contacts = self.contacts();
        let since = filter.online_since;
        let is_ahead = |seen: &SeenRunner, id: &RunnerId| {
            let is_stored = seen.written_at > since && !contacts.waiting.contains_key(id);
            seen.at > since && !is_stored
        };
        let live = contacts.seen.iter().filter(|(id, seen)| is_ahead(seen, id));
        filter.live = live.map(|(id, _)| *id).collect();
        filter
    }

    /// Stores the contacts that are due. After a failure they are kept for the next flush.
    ///
    /// # Errors
    /// Failures of the store.
    pub async fn flush(&self, database: &Database, now: Timestamp) -> Result<(), StoreError> {
        let due: Vec<RunnerContact> = {
            let mut contacts = self.contacts();
            let since = now.plus_seconds(-ONLINE_SECONDS);
            contacts.seen.retain(|_, seen| seen.at > since);
            contacts
                .waiting
                .drain()
                .map(|(_, contact)| contact)
                .collect()
        };
        if due.is_empty() {
            return Ok(());
        }
        let again = due.clone();
        let written = database.write(move |tx| tx.touch_runners(&due)).await;
        if written.is_err() {
            let mut contacts = self.contacts();
            for contact in again {
                contacts.waiting.entry(contact.id).or_insert(contact);
            }
        }
        written
    }

    /// Locks the contacts. No panic can leave them inconsistent, because nothing that can panic runs in the middle of a
    /// change.
    fn contacts(&self) -> MutexGuard<'_, Contacts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Time between two stored contacts of a runner, in seconds.
fn interval_of(id: RunnerId) -> i64 {
    LEAST_SECONDS + id.get().rem_euclid(SPREAD_MINUTES + 1) * 60
}

/// Flushes the contacts periodically, until the task is dropped.
pub async fn flush_regularly(
    jobs: BackgroundJobs,
    database: Arc<Database>,
    contacts: Arc<RunnerContacts>,
) {
    let run = async |now| contacts.flush(&database, now).await;
    jobs.repeat(BackgroundJob::SaveRunnerContacts, run).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use api_conventions::ids::UserId;
    use api_conventions::secret::SecretDigest;
    use pipelines::model::{NewRunner, RunnerPlace, RunnerSettings};

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(1_700_000_000_000_000)
            .unwrap()
            .plus_seconds(seconds)
    }

    /// A runner whose contacts are stored at most every 40 minutes and 3 more.
    fn runner(contacted_at: Option<Timestamp>) -> Runner {
        let new = NewRunner {
            place: RunnerPlace::Instance,
            settings: RunnerSettings::default(),
            info: RunnerInfo::default(),
            digest: SecretDigest::of("x"),
            creator_id: UserId::new(1),
            created_at: at(0),
        };
        let mut runner = new.stored(RunnerId::new(3));
        runner.contacted_at = contacted_at;
        runner
    }

    /// Records a contact and returns the time that is due to be stored.
    fn due(contacts: &RunnerContacts, runner: &Runner, seconds: i64) -> Option<Timestamp> {
        contacts.note(runner, RunnerInfo::default(), at(seconds));
        let waiting = contacts.contacts().waiting.remove(&runner.id);
        waiting.map(|contact| contact.at)
    }

    #[test]
    fn a_contact_is_stored_at_most_every_forty_minutes_and_read_at_once() {
        let contacts = RunnerContacts::default();
        let never = runner(None);
        assert_eq!(due(&contacts, &never, 0), Some(at(0)));
        assert_eq!(due(&contacts, &never, 43 * 60 - 1), None);
        let mut read = runner(Some(at(0)));
        contacts.update(&mut read);
        assert_eq!(read.contacted_at, Some(at(43 * 60 - 1)));
        let stored = runner(Some(at(0)));
        assert_eq!(due(&contacts, &stored, 43 * 60), Some(at(43 * 60)));
        let other_process = RunnerContacts::default();
        assert_eq!(due(&other_process, &stored, 60), None);
    }

    #[test]
    fn a_filter_names_the_runners_whose_stored_contact_is_too_early() {
        let contacts = RunnerContacts::default();
        let stored = runner(Some(at(0)));
        let live = |seconds| contacts.filter(ContactState::Online, at(seconds)).live;
        contacts.note(&stored, RunnerInfo::default(), at(30 * 60));
        assert_eq!(live(60 * 60), []);
        assert_eq!(live(2 * 60 * 60), [RunnerId::new(3)]);
        assert_eq!(live(2 * 60 * 60 + 30 * 60), []);
    }

    #[test]
    fn intervals_are_between_forty_and_fifty_five_minutes() {
        let minutes = (0..100).map(|id| interval_of(RunnerId::new(id)) / 60);
        let minutes: std::collections::BTreeSet<i64> = minutes.collect();
        assert_eq!(minutes, (40..=55).collect());
    }
}
