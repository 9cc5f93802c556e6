//! Reads of many streams, together.
//!
//! A new event wakes all streams that it concerns at the same time. What they have in common is read once: the events with
//! their authors and notes, and the rights of each viewer. So a stream costs the database little, and all streams of a
//! worker together use one of its connections at most half of the time.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use gatehouse_core::database::Database;
use storage::{Lane, StoreError, StoreErrorKind};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use super::batch::{SharedReads, StreamBatch, StreamRead};

/// Time after which no further read is begun before the next rest: far less than the time limit of reads.
const LONGEST: Duration = Duration::from_millis(200);

/// Longest rest. Otherwise the reader rests for as long as it read.
const LONGEST_REST: Duration = Duration::from_millis(200);

/// Result of a read; `None` if the viewer may no longer see the project of the stream.
type StreamReadResult = Result<Option<StreamBatch>, StoreError>;

/// Reader of the streams of a worker.
#[derive(Clone, Default)]
pub struct StreamReader {
    waiting: Rc<RefCell<WaitingReads>>,
}

#[derive(Default)]
struct WaitingReads {
    reads: Vec<(StreamRead, oneshot::Sender<StreamReadResult>)>,
    is_running: bool,
}

impl std::fmt::Debug for StreamReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StreamReader").finish_non_exhaustive()
    }
}

impl StreamReader {
    /// Runs a read with those of the other streams.
    pub(super) async fn read(
        &self,
        database: &Arc<Database>,
        read: StreamRead,
    ) -> StreamReadResult {
        let (sender, receiver) = oneshot::channel();
        let is_running = {
            let mut waiting = self.waiting.borrow_mut();
            waiting.reads.push((read, sender));
            std::mem::replace(&mut waiting.is_running, true)
        };
        if !is_running {
            let (reader, database) = (self.clone(), Arc::clone(database));
            actix_web::rt::spawn(async move { reader.run(&database).await });
        }
        let failed = || StoreError::new(StoreErrorKind::Unavailable, "read events of streams");
        receiver.await.unwrap_or_else(|_| Err(failed()))
    }

    /// Runs the waiting reads until there are none.
    async fn run(&self, database: &Database) {
        loop {
            let reads = std::mem::take(&mut self.waiting.borrow_mut().reads);
            if reads.is_empty() {
                self.waiting.borrow_mut().is_running = false;
                return;
            }
            let started = Instant::now();
            let plans: Vec<StreamRead> = reads.iter().map(|(read, _)| *read).collect();
            let results = database.read(Lane::Shared, move |tx| {
                let mut shared = SharedReads::default();
                Ok::<_, StoreError>(run_some(&plans, |read| read.run(tx, &mut shared)))
            });
            // Without a connection all streams notice that their senders are dropped.
            if let Ok(results) = results.await {
                let mut reads = reads.into_iter();
                for (result, (_, sender)) in results.into_iter().zip(reads.by_ref()) {
                    // A client that has left waits for nothing.
                    let _ = sender.send(result);
                }
                // The others are first the next time.
                self.waiting.borrow_mut().reads.splice(0..0, reads);
            }
            sleep(started.elapsed().min(LONGEST_REST)).await;
        }
    }
}

/// Runs reads one after the other until [`LONGEST`] is over or one fails, but at least the first. A failure concerns only
/// its own stream, because the rows of a project may be damaged.
fn run_some<R: Copy, T>(
    reads: &[R],
    mut run: impl FnMut(R) -> Result<T, StoreError>,
) -> Vec<Result<T, StoreError>> {
    let started = Instant::now();
    let mut results = Vec::new();
    for read in reads {
        let result = run(*read);
        let is_failure = result.is_err();
        results.push(result);
        if is_failure || started.elapsed() >= LONGEST {
            break;
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_that_of_its_own_read_and_the_others_run_next_time() {
        let run = |number| match number {
            2 => Err(StoreError::new(StoreErrorKind::Inconsistent, "events")),
            other => Ok(other),
        };
        let reads = [1, 2, 3, 4];
        let first = run_some(&reads, run);
        assert!(matches!(first.as_slice(), [Ok(1), Err(_)]), "{first:?}");
        let next = run_some(&reads[first.len()..], run);
        assert!(matches!(next.as_slice(), [Ok(3), Ok(4)]), "{next:?}");
    }
}
