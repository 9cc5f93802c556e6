//! Gate for pipelined requests of a connection: one request is answered at a time, and the next one is not read before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tokio::time::Instant;

/// Gate of a connection. It closes with a request and opens again when the response is written.
#[derive(Debug, Default)]
pub struct PipelineGate {
    is_closed: Cell<bool>,
    opened_at: Cell<Option<Instant>>,
    waiting: RefCell<Option<Waker>>,
    is_abandoned: Cell<bool>,
    response: RefCell<Option<Waker>>,
}

impl PipelineGate {
    /// Closes the gate for the following requests.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
    }

    /// True unless a request is being answered.
    pub(super) fn is_open(&self) -> bool {
        !self.is_closed.get()
    }

    /// Returns the last time that the gate opened; `None` before that.
    pub(super) fn opened_at(&self) -> Option<Instant> {
        self.opened_at.get()
    }

    /// Registers the task to be woken when the gate opens. This polls a connection once more for each request, so use
    /// it only if the next request is already waiting.
    pub(super) fn wait(&self, context: &Context<'_>) {
        *self.waiting.borrow_mut() = Some(context.waker().clone());
    }

    /// Notes that the client has closed the connection before its response is complete.
    pub(super) fn abandon(&self) {
        self.is_abandoned.set(true);
        if let Some(waker) = self.response.borrow_mut().take() {
            waker.wake();
        }
    }

    /// True if the client has closed the connection before its response is complete.
    pub(super) fn is_abandoned(&self) -> bool {
        self.is_abandoned.get()
    }

    /// Waits until the client closes the connection. Only the response that is being written may wait.
    /// A client that closes only its sending side counts as well, so use it only for responses that no such client reads.
    /// After further requests that are already waiting, the end of the connection is not seen.
    pub(crate) fn poll_abandoned(&self, context: &Context<'_>) -> Poll<()> {
        if self.is_abandoned.get() {
            return Poll::Ready(());
        }
        *self.response.borrow_mut() = Some(context.waker().clone());
        Poll::Pending
    }

    fn open(&self) {
        self.is_closed.set(false);
        self.opened_at.set(Some(Instant::now()));
        if let Some(waker) = self.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// Guard of the closed gate, held by the response to a request. Dropping the guard opens the gate.
#[derive(Debug)]
pub struct PipelineGuard(Rc<PipelineGate>);

impl PipelineGuard {
    /// Creates the guard for the request that closed the gate.
    pub fn of(gate: &Rc<PipelineGate>) -> Self {
        Self(Rc::clone(gate))
    }
}

impl Drop for PipelineGuard {
    fn drop(&mut self) {
        self.0.open();
    }
}
