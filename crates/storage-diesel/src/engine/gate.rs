//! Gate that every read of a store passes before it begins.
//!
//! An embedded database restarts its journal only at an instant at which no read uses it. Among many short reads, there is no
//! such instant unless those that begin wait for a few milliseconds for those that run.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest time that a read waits at the closed gate.
const LONGEST_PAUSE: Duration = Duration::from_millis(25);

/// Counts the reads that run, and holds back others for a short time.
#[derive(Debug, Default)]
pub(crate) struct ReadGate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    /// Threads that hold the gate closed.
    closings: usize,
    /// Reads that passed it and have not ended.
    running: usize,
}

impl ReadGate {
    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a read pass, which waits for at most [`LONGEST_PAUSE`] while the gate is closed. It counts as running until the
    /// value is dropped.
    pub(crate) fn pass(&self) -> RunningRead<'_> {
        let (mut state, _) = self
            .changed
            .wait_timeout_while(self.lock(), LONGEST_PAUSE, |state| state.closings > 0)
            .unwrap_or_else(PoisonError::into_inner);
        state.running += 1;
        RunningRead(self)
    }

    /// Closes the gate until the value is dropped, and waits until no read runs.
    /// Returns `None`, with the gate open, if some still run after this time.
    #[cfg(feature = "sqlite")]
    pub(crate) fn close(&self, longest: Duration) -> Option<ClosedGate<'_>> {
        let mut state = self.lock();
        state.closings += 1;
        let closed = ClosedGate(self);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, longest, |state| state.running > 0)
            .unwrap_or_else(PoisonError::into_inner);
        let is_drained = state.running == 0;
        drop(state);
        is_drained.then_some(closed)
    }
}

/// Read that has passed the gate.
#[derive(Debug)]
pub(crate) struct RunningRead<'g>(&'g ReadGate);

impl Drop for RunningRead<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.running -= 1;
        if state.closings > 0 && state.running == 0 {
            self.0.changed.notify_all();
        }
    }
}

/// Gate that is closed.
#[cfg(feature = "sqlite")]
#[derive(Debug)]
pub(crate) struct ClosedGate<'g>(&'g ReadGate);

#[cfg(feature = "sqlite")]
impl Drop for ClosedGate<'_> {
    fn drop(&mut self) {
        self.0.lock().closings -= 1;
        self.0.changed.notify_all();
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_gate_closes_once_no_read_runs() {
        let gate = ReadGate::default();
        let read = gate.pass();
        assert!(gate.close(Duration::ZERO).is_none(), "a read runs");
        thread::scope(|scope| {
            let closing = scope.spawn(|| gate.close(LONG).is_some());
            drop(read);
            assert!(closing.join().unwrap());
        });
        assert_eq!(gate.lock().closings, 0);
    }

    #[test]
    fn reads_wait_for_an_open_gate_but_not_forever() {
        let gate = ReadGate::default();
        let closed = gate.close(Duration::ZERO).unwrap();
        let began = Instant::now();
        drop(gate.pass());
        assert!(began.elapsed() >= LONGEST_PAUSE);
        drop(closed);
        assert_eq!(gate.lock().closings, 0);
    }
}
