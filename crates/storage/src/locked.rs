//! Values that are locked until the end of the transaction.

use std::marker::PhantomData;
use std::ops::Deref;

/// Value that no other transaction changes until this one ends.
/// The method that returns it documents what else the lock covers.
///
/// Every change requires it, so no change is computed from data that another transaction has changed in the meantime.
/// It is not `Send`, so it stays in its transaction.
#[derive(Debug)]
pub struct Locked<T> {
    found: T,
    stays_here: PhantomData<*const ()>,
}

impl<T> Locked<T> {
    /// Wraps a value that the caller has locked.
    /// Only methods of an adapter call this.
    pub fn by_adapter(found: T) -> Self {
        Self {
            found,
            stays_here: PhantomData,
        }
    }

    /// Returns the value as read under the lock.
    pub fn into_inner(self) -> T {
        self.found
    }
}

impl<T> Deref for Locked<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.found
    }
}
