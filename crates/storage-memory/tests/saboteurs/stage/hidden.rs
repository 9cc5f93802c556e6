//! Closures and their outcomes with the types out of sight, so that a saboteur is an object.

use std::any::Any;

use storage::{Promise, StoreError};

use super::{SpoiltRead, SpoiltWrite};

/// A value of a type that only its caller knows.
pub(crate) type Hidden = Box<dyn Any + Send>;

/// Why there is no value: the closure's own error, or one of the store.
pub(crate) enum Failure {
    Refused(Hidden),
    Store(StoreError),
}

/// What a closure gave.
pub(crate) type Outcome = Result<Hidden, Failure>;

/// A read closure.
pub(crate) type ReadWork = Box<dyn for<'t> FnOnce(&mut SpoiltRead<'t>) -> Outcome + Send>;

/// A write closure.
pub(crate) type WriteWork = Box<dyn for<'t> FnOnce(&mut SpoiltWrite<'t>) -> Outcome + Send>;

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The promise to whoever waits for a write. Who drops it loses the answer.
pub(crate) trait Answer: Send {
    /// Gives the outcome.
    fn give(self: Box<Self>, outcome: Outcome);

    /// Whether nobody waits for the outcome any more.
    fn is_abandoned(&self) -> bool;
}

impl<T, E> Answer for Promise<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn give(self: Box<Self>, outcome: Outcome) {
        self.fulfil(show(outcome));
    }

    fn is_abandoned(&self) -> bool {
        Self::is_abandoned(self)
    }
}

/// Takes the types of an outcome out of sight.
pub(super) fn hide<T: Send + 'static, E: Send + 'static>(outcome: Result<T, E>) -> Outcome {
    match outcome {
        Ok(value) => Ok(Box::new(value)),
        Err(error) => Err(Failure::Refused(Box::new(error))),
    }
}

/// Brings the types back that [`hide`] took away.
pub(super) fn show<T: 'static, E: From<StoreError> + 'static>(outcome: Outcome) -> Result<T, E> {
    match outcome {
        Ok(value) => Ok(*value.downcast().unwrap()),
        Err(Failure::Refused(error)) => Err(*error.downcast().unwrap()),
        Err(Failure::Store(error)) => Err(error.into()),
    }
}
