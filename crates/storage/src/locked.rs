//! What is locked until the transaction ends.

use std::marker::PhantomData;
use std::ops::Deref;

/// Something that nobody else changes until the transaction ends. What the lock covers besides is for the method to say that
/// gives it.
///
/// It is the only way to a change, so no change is worked out from what another transaction has changed meanwhile. It stays
/// in its transaction, because it goes to no other thread.
#[derive(Debug)]
pub struct Locked<T> {
    found: T,
    stays_here: PhantomData<*const ()>,
}

impl<T> Locked<T> {
    /// For the methods of an adapter that lock.
    pub fn by_adapter(found: T) -> Self {
        Self {
            found,
            stays_here: PhantomData,
        }
    }

    /// What was found when it was locked.
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
