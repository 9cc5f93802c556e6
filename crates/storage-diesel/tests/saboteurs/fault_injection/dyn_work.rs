//! Closures and their outcomes with their types erased, so that a saboteur can be a trait object.

use std::any::Any;

use storage::{Promise, StoreError};

use super::{FaultyReadTx, FaultyWriteTx};

/// A value of a type that only its caller knows.
pub(crate) type DynValue = Box<dyn Any + Send>;

/// Error of a closure, or of the store.
pub(crate) enum ErasedError {
    Closure(DynValue),
    Store(StoreError),
}

/// Outcome of a closure.
pub(crate) type ErasedResult = Result<DynValue, ErasedError>;

/// A read closure.
pub(crate) type ReadWork = Box<dyn for<'t> FnOnce(&mut FaultyReadTx<'t>) -> ErasedResult + Send>;

/// A write closure.
pub(crate) type WriteWork = Box<dyn for<'t> FnOnce(&mut FaultyWriteTx<'t>) -> ErasedResult + Send>;

impl From<StoreError> for ErasedError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The promise to the caller that waits for a write. Dropping it loses the answer.
pub(crate) trait DynPromise: Send {
    /// Fulfils the promise with the outcome.
    fn fulfil(self: Box<Self>, outcome: ErasedResult);

    /// True if no caller waits for the outcome any more.
    fn is_abandoned(&self) -> bool;
}

impl<T, E> DynPromise for Promise<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn fulfil(self: Box<Self>, outcome: ErasedResult) {
        Self::fulfil(*self, downcast(outcome));
    }

    fn is_abandoned(&self) -> bool {
        Self::is_abandoned(self)
    }
}

/// Erases the types of an outcome.
pub(super) fn erase<T: Send + 'static, E: Send + 'static>(outcome: Result<T, E>) -> ErasedResult {
    match outcome {
        Ok(value) => Ok(Box::new(value)),
        Err(error) => Err(ErasedError::Closure(Box::new(error))),
    }
}

/// Restores the types that [`erase`] erased.
pub(super) fn downcast<T: 'static, E: From<StoreError> + 'static>(
    outcome: ErasedResult,
) -> Result<T, E> {
    match outcome {
        Ok(value) => Ok(*value.downcast().unwrap()),
        Err(ErasedError::Closure(error)) => Err(*error.downcast().unwrap()),
        Err(ErasedError::Store(error)) => Err(error.into()),
    }
}
