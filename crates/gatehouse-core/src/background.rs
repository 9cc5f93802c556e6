//! Background writes: jobs work in small steps that give way to requests.
//!
//! The embedded database has one writer. A job that submits each step as soon as the previous one is done would hold
//! that writer half of the time, and everyone else would wait for each step. So a step begins only when no request
//! waits for the writer, and the job rests after each step: for most of the time while others write, and for as long as
//! the step took while they do not.

use std::time::{Duration, Instant};

use storage::{Lane, Pending, Store as _, StoreError};
use storage_diesel::WriterStats;

use crate::database::{Database, ReadTransaction, WriteTransaction};

/// Interval between checks whether requests are still waiting.
const LOOK: Duration = Duration::from_millis(5);
/// Length of the rest in multiples of the step while others write: a job gets a tenth of each second.
const REST_AMONG_OTHERS: u32 = 9;
/// Length of the rest in multiples of the step while nobody else writes.
const REST_ALONE: u32 = 1;
/// Maximum length of a rest.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// The database as jobs use it. It offers no other way to write, so a job always gives way.
#[derive(Debug)]
pub struct Background<'d> {
    database: &'d Database,
}

impl<'d> Background<'d> {
    /// Wraps the database for a job.
    pub fn new(database: &'d Database) -> Self {
        Self { database }
    }

    /// Reads from the database.
    pub fn read<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.database.read(Lane::Shared, work)
    }

    /// Runs one step of a job once no request waits for the writer, and rests after it.
    ///
    /// # Errors
    /// Those of `work` and of the store.
    pub async fn write<T, E, F>(&self, work: F) -> Result<T, E>
    where
        F: for<'t> Fn(&mut (dyn WriteTransaction + 't)) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        while self.database.writer_stats().waiting > 0 {
            tokio::time::sleep(LOOK).await;
        }
        let (before, started) = (self.database.writer_stats(), Instant::now());
        let outcome = self.database.write(work).await;
        let rest = rest(started.elapsed(), before, self.database.writer_stats());
        tokio::time::sleep(rest).await;
        outcome
    }
}

/// Time that a job rests after a step of this length. Every write in between other than the step itself was made by
/// others.
fn rest(took: Duration, before: WriterStats, after: WriterStats) -> Duration {
    let others = after.units.saturating_sub(before.units) > 1 || after.waiting > 0;
    let times = if others {
        REST_AMONG_OTHERS
    } else {
        REST_ALONE
    };
    took.saturating_mul(times).min(LONGEST_REST)
}

#[cfg(test)]
mod tests {
    use std::future::Future as _;
    use std::pin::pin;
    use std::sync::mpsc::channel;
    use std::sync::{Arc, Mutex};
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::settings::{DatabaseSettings, DatabaseUrl};

    fn database() -> (tempfile::TempDir, Database) {
        let directory = tempfile::tempdir().unwrap();
        let database = crate::database::open(&DatabaseSettings {
            read_timeout: Duration::from_mins(1),
            write_timeout: Duration::from_mins(1),
            ..DatabaseSettings::at(DatabaseUrl::Sqlite(directory.path().join("db.sqlite3")))
        })
        .unwrap();
        database.migrate().unwrap();
        (directory, database)
    }

    #[test]
    fn a_step_of_a_job_is_not_queued_while_a_request_waits_and_comes_after_it() {
        let (_kept, database) = database();
        let order = Arc::new(Mutex::new(Vec::new()));
        let note = |name: &'static str| {
            let order = Arc::clone(&order);
            move |_: &mut (dyn WriteTransaction + '_)| {
                order.lock().unwrap().push(name);
                Ok::<_, StoreError>(())
            }
        };
        let (entered, is_in) = channel();
        let (go, wait) = channel::<()>();
        let wait = Mutex::new(wait);
        let holder = database.write(move |_| {
            entered.send(()).unwrap();
            let _ = wait.lock().unwrap().recv();
            Ok::<_, StoreError>(())
        });
        is_in.recv().unwrap();
        let request = database.write(note("request"));
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let background = Background::new(&database);
            let mut step = pin!(background.write(note("step")));
            let mut context = Context::from_waker(Waker::noop());
            assert!(matches!(step.as_mut().poll(&mut context), Poll::Pending));
            assert_eq!(database.writer_stats().waiting, 1, "the request alone");
            go.send(()).unwrap();
            step.await.unwrap();
        });
        holder.wait().unwrap();
        request.wait().unwrap();
        assert_eq!(*order.lock().unwrap(), ["request", "step"]);
    }

    #[test]
    fn a_job_rests_longer_while_others_write() {
        let took = Duration::from_millis(20);
        let stats = |units, waiting| WriterStats {
            units,
            waiting,
            ..WriterStats::default()
        };
        let alone = rest(took, stats(5, 0), stats(6, 0));
        assert_eq!(alone, took);
        for after in [stats(7, 0), stats(6, 1)] {
            assert_eq!(rest(took, stats(5, 0), after), took * 9);
        }
        let long = Duration::from_mins(1);
        assert_eq!(rest(long, stats(5, 0), stats(6, 0)), LONGEST_REST);
    }
}
