//! Password hashing: on dedicated threads, a few passwords at a time.
//!
//! A hash is slow and memory-hungry by design, so a client that sends many passwords could otherwise decide how many
//! run at once. Passwords beyond that wait in a short queue, and when it is full, clients are told to retry later. The
//! threads run at a lower priority than all others, so that signed-in users hardly notice those who are signing in.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, available_parallelism};

use accounts::Credentials;
use accounts::flow::check_password::VerifiedPassword;
use accounts::password::{PasswordError, PasswordHash};
use api_conventions::secret::PlainSecret;
use tokio::sync::{Semaphore, oneshot};

use crate::priority;
use crate::randomness::OsRandomness;

/// Seconds after which a client may retry when the queue is full.
pub const RETRY_AFTER_SECONDS: u32 = 2;

/// The queue for hashing passwords is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many password checks are waiting")]
pub struct HashQueueFull;

/// Reason why a new password is not hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// The queue is full.
    #[error(transparent)]
    HashQueueFull(#[from] HashQueueFull),
    /// The password cannot be hashed.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// Niceness of the threads, from 0 to 19: with 3, other threads get twice the CPU time of these.
/// With a niceness of 10, users who signed in waited for half a second when reads used the whole CPU
/// (docs/performance.md).
const NICENESS: i32 = 3;

type HashJob = Box<dyn FnOnce() + Send>;

/// The threads that hash passwords cannot be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot start {wanted} password threads; allow more threads, or lower passwords.concurrency"
)]
pub struct NoThreads {
    /// Number of threads that were to be started.
    wanted: usize,
    /// Error of the first thread that could not be started.
    source: io::Error,
}

/// Hashes and verifies passwords.
#[derive(Debug)]
pub struct PasswordHasher {
    /// Permits: one for each password that is being hashed or waiting.
    places: Arc<Semaphore>,
    /// Queue of the threads, which end when it is dropped.
    jobs: Sender<HashJob>,
}

impl PasswordHasher {
    /// Creates a hasher that hashes `hashing` passwords at a time, or one per core, and lets `waiting` more wait.
    ///
    /// # Errors
    /// When not all threads can be started: with fewer or none, users who sign in would wait in vain.
    pub fn new(hashing: Option<usize>, waiting: usize) -> Result<Self, NoThreads> {
        let cores = available_parallelism().map_or(1, usize::from);
        let seats = hashing.unwrap_or(cores).max(1);
        Self::with_threads(seats, waiting, |work| {
            let thread = Builder::new().name("passwords".to_owned());
            thread.spawn(work).map(drop)
        })
    }

    fn with_threads(
        seats: usize,
        waiting: usize,
        start: impl Fn(HashJob) -> io::Result<()>,
    ) -> Result<Self, NoThreads> {
        let (jobs, waiting_jobs) = channel();
        let waiting_jobs = Arc::new(Mutex::new(waiting_jobs));
        for _ in 0..seats {
            let waiting_jobs = Arc::clone(&waiting_jobs);
            let started = start(Box::new(move || serve(&waiting_jobs)));
            started.map_err(|source| NoThreads {
                wanted: seats,
                source,
            })?;
        }
        Ok(Self {
            places: Arc::new(Semaphore::new(seats.saturating_add(waiting))),
            jobs,
        })
    }

    /// True if `password` matches the hash. Without a hash it is false, after the same time.
    ///
    /// # Errors
    /// When the queue is full.
    pub async fn verify(
        &self,
        stored: Option<PasswordHash>,
        password: PlainSecret,
    ) -> Result<bool, HashQueueFull> {
        self.run(move || {
            let is_somebody = stored.is_some();
            let hash = stored.unwrap_or_else(PasswordHash::dummy);
            hash.verifies(&password) && is_somebody
        })
        .await
    }

    /// Verifies the password of the given user, if there is one, and rehashes it if it is right and its hash has
    /// outdated parameters.
    ///
    /// # Errors
    /// When the queue is full.
    pub async fn check(
        &self,
        found: Option<&Credentials>,
        password: PlainSecret,
    ) -> Result<Option<VerifiedPassword>, HashQueueFull> {
        let stored = found.and_then(|found| Some((found.user.id, found.password.clone()?)));
        self.run(move || {
            let Some((user_id, checked)) = stored else {
                PasswordHash::dummy().verifies(&password);
                return None;
            };
            checked.verifies(&password).then(|| {
                let renewed = renewed(&checked, &password);
                let mut right = VerifiedPassword::new(user_id, checked);
                right.renewed = renewed;
                right
            })
        })
        .await
    }

    /// Hashes a new password.
    ///
    /// # Errors
    /// When the queue is full, or the password is too short or too long.
    pub async fn hash(&self, password: PlainSecret) -> Result<PasswordHash, HashError> {
        Ok(self
            .run(move || PasswordHash::of(&password, &OsRandomness))
            .await??)
    }

    /// Runs work on a hashing thread.
    /// The permit belongs to the work, not to the request: a client that hangs up frees no room while its hash is still
    /// running.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashQueueFull> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| HashQueueFull)?;
        let (answer, answered) = oneshot::channel();
        let job = move || {
            let result = work();
            drop(place);
            // If the client has hung up, the receiver is dropped.
            let _ = answer.send(result);
        };
        self.jobs.send(Box::new(job)).map_err(|_| HashQueueFull)?;
        answered.await.map_err(|_| HashQueueFull)
    }
}

/// Runs jobs one after the other until the queue is closed.
fn serve(jobs: &Mutex<Receiver<HashJob>>) {
    priority::lower(NICENESS, "passwords");
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("hashing a password panicked");
        }
    }
}

/// Rehashes a right password with the current parameters. A password shorter than the current minimum keeps its old
/// hash.
fn renewed(checked: &PasswordHash, password: &PlainSecret) -> Option<PasswordHash> {
    if checked.is_current() {
        return None;
    }
    PasswordHash::of(password, &OsRandomness).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn secret(text: &str) -> PlainSecret {
        PlainSecret::new(text)
    }

    #[tokio::test]
    async fn only_the_correct_password_of_a_stored_hash_verifies() {
        let hasher = PasswordHasher::new(Some(1), 1).unwrap();
        let hash = hasher.hash(secret("correct horse")).await.unwrap();
        assert_eq!(
            hasher
                .verify(Some(hash.clone()), secret("correct horse"))
                .await,
            Ok(true)
        );
        assert_eq!(
            hasher.verify(Some(hash), secret("correct horsf")).await,
            Ok(false)
        );
        assert_eq!(
            hasher.verify(None, secret("correct horse")).await,
            Ok(false)
        );
    }

    #[tokio::test]
    async fn a_password_that_is_too_short_is_no_want_of_room() {
        let hasher = PasswordHasher::new(Some(1), 1).unwrap();
        let refusal = hasher.hash(secret("short")).await.unwrap_err();
        assert_eq!(refusal, HashError::Password(PasswordError::TooShort));
    }

    #[tokio::test]
    async fn a_caller_without_a_place_is_sent_away() {
        let hasher = Arc::new(PasswordHasher::new(Some(1), 1).unwrap());
        let (release, held) = channel::<()>();
        let spawn = |work: Box<dyn FnOnce() + Send>| {
            let hasher = Arc::clone(&hasher);
            tokio::spawn(async move { hasher.run(work).await })
        };
        let first = spawn(Box::new(move || held.recv().unwrap_or_default()));
        let second = spawn(Box::new(|| ()));
        while hasher.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hasher.verify(None, secret("x")).await, Err(HashQueueFull));
        drop(release);
        assert_eq!(first.await.unwrap(), Ok(()));
        assert_eq!(second.await.unwrap(), Ok(()));
        assert_eq!(hasher.verify(None, secret("x")).await, Ok(false));
    }

    #[tokio::test]
    async fn a_client_that_hangs_up_leaves_no_place_for_another_hash() {
        let hasher = Arc::new(PasswordHasher::new(Some(1), 0).unwrap());
        let (release, held) = channel::<()>();
        let running = Arc::clone(&hasher);
        let task =
            tokio::spawn(async move { running.run(move || held.recv().unwrap_or_default()).await });
        while hasher.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        task.abort();
        tokio::task::yield_now().await;
        assert_eq!(hasher.verify(None, secret("x")).await, Err(HashQueueFull));
        drop(release);
    }

    #[test]
    fn without_all_of_its_threads_there_is_no_desk() {
        for possible in 0..3 {
            let started = AtomicUsize::new(0);
            let hasher = PasswordHasher::with_threads(3, 9, |work| {
                if started.fetch_add(1, Ordering::SeqCst) == possible {
                    return Err(io::ErrorKind::WouldBlock.into());
                }
                Builder::new().spawn(work).map(drop)
            });
            let refusal = hasher.unwrap_err();
            assert_eq!(refusal.wanted, 3);
            assert_eq!(refusal.source.kind(), io::ErrorKind::WouldBlock);
        }
    }

    #[tokio::test]
    async fn a_panic_leaves_its_place_to_the_next() {
        let hasher = PasswordHasher::new(Some(1), 0).unwrap();
        let broken: Result<(), HashQueueFull> = hasher.run(|| panic!("broken")).await;
        assert_eq!(broken, Err(HashQueueFull));
        while hasher.places.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hasher.verify(None, secret("x")).await, Ok(false));
    }
}
