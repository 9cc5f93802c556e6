//! Whose turn it is on a connection: one request is answered at a time, and the next one is not even read before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

/// The turn of a connection. It is taken with a request and given back when its answer is written.
#[derive(Debug, Default)]
pub struct Turn {
    is_taken: Cell<bool>,
    waiting: RefCell<Option<Waker>>,
}

impl Turn {
    /// Takes the turn for a request.
    pub(super) fn take(&self) {
        self.is_taken.set(true);
    }

    /// Whether the turn is free; if it is not, the task is woken when it is.
    pub(super) fn is_free(&self, context: &Context<'_>) -> bool {
        if self.is_taken.get() {
            *self.waiting.borrow_mut() = Some(context.waker().clone());
        }
        !self.is_taken.get()
    }

    fn give_back(&self) {
        self.is_taken.set(false);
        if let Some(waker) = self.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// The turn as the answer to a request holds it. Dropping it gives it back.
#[derive(Debug)]
pub struct TakenTurn(Rc<Turn>);

impl TakenTurn {
    /// The turn that was taken for a request.
    pub fn of(turn: &Rc<Turn>) -> Self {
        Self(Rc::clone(turn))
    }
}

impl Drop for TakenTurn {
    fn drop(&mut self) {
        self.0.give_back();
    }
}
