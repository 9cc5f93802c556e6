//! Writes of one kind that an adapter may run together.

use std::any::TypeId;

use crate::StoreError;

/// Single write as a value: its output, its error, and the memory it holds while it is queued.
pub trait Work: Sized + Send + 'static {
    /// Output of the committed write.
    type Output: Send + 'static;
    /// Error of a rejected write, of which nothing is stored.
    type Error: From<StoreError> + Send + 'static;

    /// Returns the kind of this work: values of the same type and kind may be written in one group.
    /// Only type-erased work has a kind that differs from its type.
    fn kind(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    /// True if two concurrent groups of this kind would only wait for each other, such as those that allocate numbers
    /// from one counter.
    /// An adapter with several writers then runs one group at a time, while the next one fills up. There is no default,
    /// because a wrapper around work must return the answer of the inner work.
    fn is_exclusive(&self) -> bool;

    /// Returns the bytes that this value keeps alive while it is queued.
    /// Adapters limit the total per queue.
    fn weight(&self) -> usize;
}

/// Writes a group of [`Work`] values in one transaction of type `Tx`.
///
/// Lets the adapter batch a hot path: a hundred requests that arrive together cost a handful of statements instead of a
/// hundred times as many. The result must not depend on the grouping: running `[a, b]` leaves the same rows and returns
/// the same outputs as running `[a]` and then `[b]`.
pub trait GroupWork<Tx: ?Sized>: Work {
    /// Writes the whole group and returns one output per member, in the same order.
    ///
    /// # Errors
    /// The adapter may write rows later than the call that passes them, as long as no read bypasses them; an error of
    /// the database may therefore occur in a later call, or after the end of `run`.
    ///
    /// An error rolls back the whole group. The adapter then runs each member alone, so that only the member that
    /// cannot be written fails.
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, Self::Error>;
}
