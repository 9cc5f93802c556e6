//! The gate for pipelined requests of a connection: one request is answered at a time, and the next one is not even read
//! before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

/// The gate of a connection. It closes with a request and opens again when the answer is written.
#[derive(Debug, Default)]
pub struct PipelineGate {
    is_closed: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl PipelineGate {
    /// Closes the gate for the requests that follow.
    pub(super) fn close(&self) {
        self.is_closed.set(true);
    }

    /// Whether the gate is open; if it is closed, the task is woken when it opens.
    pub(super) fn is_open(&self, context: &Context<'_>) -> bool {
        if self.is_closed.get() {
            *self.waiting.borrow_mut() = Some(context.waker().clone());
        }
        !self.is_closed.get()
    }

    fn open(&self) {
        self.is_closed.set(false);
        if let Some(waker) = self.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// The closed gate as the answer to a request holds it. Dropping the guard opens the gate.
#[derive(Debug)]
pub struct PipelineGuard(Rc<PipelineGate>);

impl PipelineGuard {
    /// The guard for the request that closed the gate.
    pub fn of(gate: &Rc<PipelineGate>) -> Self {
        Self(Rc::clone(gate))
    }
}

impl Drop for PipelineGuard {
    fn drop(&mut self) {
        self.0.open();
    }
}
