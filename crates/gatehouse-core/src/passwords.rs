//! Where passwords are hashed: on threads of their own, a few at a time.
//!
//! A hash is slow and takes much memory on purpose, so anyone who sends many passwords would otherwise decide how many
//! run at once. Those that find no room wait in a short queue, and those that find none there are told to come back.
//! The threads give way to all others, so that people who are signed in notice little of those who sign in.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, available_parallelism};

use accounts::Credentials;
use accounts::flow::check_password::RightPassword;
use accounts::password::{PasswordError, PasswordHash};
use api_conventions::secret::PlainSecret;
use tokio::sync::{Semaphore, oneshot};

use crate::randomness::OsRandomness;

/// After how many seconds somebody who found no room may come back.
pub const RETRY_AFTER_SECONDS: u32 = 2;

/// There is no room to hash a password now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords wait to be checked")]
pub struct Saturated;

/// Why a new password is not hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    /// There is no room now.
    #[error(transparent)]
    Saturated(#[from] Saturated),
    /// The password cannot be hashed.
    #[error(transparent)]
    Password(#[from] PasswordError),
}

/// The niceness of the threads, from 0 to 19: a thread that does not give way gets twice the time of one that does. With 10 people
/// who sign in waited for half a second wherever reads take all there is (docs/performance.md).
#[cfg(target_os = "linux")]
const NICENESS: i32 = 3;

type Job = Box<dyn FnOnce() + Send>;

/// The threads that hash passwords cannot be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "cannot start {wanted} threads for passwords; allow more threads, or set passwords.concurrency to fewer"
)]
pub struct NoThreads {
    /// How many there were to be.
    wanted: usize,
    /// Why the first that is missing could not be started.
    source: io::Error,
}

/// Hashes passwords and checks them.
#[derive(Debug)]
pub struct PasswordHasher {
    /// One permit for each password that is here, hashed or waiting.
    places: Arc<Semaphore>,
    /// To the threads, which end when this does.
    jobs: Sender<Job>,
}

impl PasswordHasher {
    /// A hasher that computes `hashing` passwords at the same time, or one per core, and lets `waiting` more wait.
    ///
    /// # Errors
    /// When not all threads can be started: with fewer of them, or none, people who sign in would wait for nothing.
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
        start: impl Fn(Job) -> io::Result<()>,
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

    /// Whether `password` is the one that was hashed. Without a hash the answer is no, after the same time.
    ///
    /// # Errors
    /// When there is no room.
    pub async fn verify(
        &self,
        stored: Option<PasswordHash>,
        password: PlainSecret,
    ) -> Result<bool, Saturated> {
        self.run(move || {
            let is_somebody = stored.is_some();
            let hash = stored.unwrap_or_else(PasswordHash::of_nobody);
            hash.verifies(&password) && is_somebody
        })
        .await
    }

    /// Checks the password of the user who was found, if one was, and hashes a right one anew when its hash has older
    /// parameters.
    ///
    /// # Errors
    /// When there is no room.
    pub async fn check(
        &self,
        found: Option<&Credentials>,
        password: PlainSecret,
    ) -> Result<Option<RightPassword>, Saturated> {
        let stored = found.and_then(|found| Some((found.user.id, found.password.clone()?)));
        self.run(move || {
            let Some((user_id, checked)) = stored else {
                PasswordHash::of_nobody().verifies(&password);
                return None;
            };
            checked.verifies(&password).then(|| {
                let renewed = renewed(&checked, &password);
                let mut right = RightPassword::new(user_id, checked);
                right.renewed = renewed;
                right
            })
        })
        .await
    }

    /// Hashes a new password.
    ///
    /// # Errors
    /// When there is no room, or the password is too short or too long.
    pub async fn hash(&self, password: PlainSecret) -> Result<PasswordHash, HashError> {
        Ok(self
            .run(move || PasswordHash::of(&password, &OsRandomness))
            .await??)
    }

    /// The permit goes with the work, not with the request: a client that hangs up makes no room for another hash
    /// while its own still runs.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Saturated> {
        let place = Arc::clone(&self.places)
            .try_acquire_owned()
            .map_err(|_| Saturated)?;
        let (answer, answered) = oneshot::channel();
        let job = move || {
            let result = work();
            drop(place);
            // Nobody waits any more when the client has hung up.
            let _ = answer.send(result);
        };
        self.jobs.send(Box::new(job)).map_err(|_| Saturated)?;
        answered.await.map_err(|_| Saturated)
    }
}

/// Does one job after the other, as long as some may come.
fn serve(jobs: &Mutex<Receiver<Job>>) {
    give_way();
    loop {
        let next = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("hashing a password panicked");
        }
    }
}

/// Has the calling thread run when others leave it time. Where that is refused it runs like all others.
fn give_way() {
    #[cfg(target_os = "linux")]
    if let Err(error) =
        rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICENESS)
    {
        tracing::warn!(%error, "threads for passwords do not give way");
    }
}

/// Hashes a right password with the parameters of today. One that is shorter than today's passwords keeps its old hash.
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
    async fn only_the_password_of_somebody_is_right() {
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
        assert_eq!(hasher.verify(None, secret("x")).await, Err(Saturated));
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
        assert_eq!(hasher.verify(None, secret("x")).await, Err(Saturated));
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
        let broken: Result<(), Saturated> = hasher.run(|| panic!("broken")).await;
        assert_eq!(broken, Err(Saturated));
        while hasher.places.available_permits() == 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(hasher.verify(None, secret("x")).await, Ok(false));
    }
}
