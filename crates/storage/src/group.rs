//! Writes of one kind that an adapter may run together.

use std::any::TypeId;

use crate::StoreError;

/// A value that stands for one write: what it gives, how it fails, and how much memory it holds while it waits.
pub trait Work: Sized + Send + 'static {
    /// What the write gives when it is committed.
    type Output: Send + 'static;
    /// Why the write was refused. Nothing of it is stored then.
    type Error: From<StoreError> + Send + 'static;

    /// The kind of this work: values of one type and one kind may be written in one group. Only work whose type is forgotten
    /// has another kind than its type.
    fn kind(&self) -> TypeId {
        TypeId::of::<Self>()
    }

    /// Whether two groups of this kind at the same time would only wait for each other, as those that take numbers from
    /// one counter. An adapter with several writers then runs one group at a time, and the next one gathers meanwhile.
    /// There is no default, because a wrapper around work must say what the work inside says.
    fn is_exclusive(&self) -> bool;

    /// The bytes that this value keeps alive while it is queued. Adapters bound their queues by the sum.
    fn weight(&self) -> usize;
}

/// How a group of [`Work`] values is written in one transaction of type `Tx`.
///
/// This is how a hot path lets the adapter batch: a hundred requests that arrive together cost a handful of
/// statements, not a hundred times as many. The result must not depend on how the work was grouped: running
/// `[a, b]` leaves the same rows and gives the same outputs as running `[a]` and then `[b]`.
pub trait GroupWork<Tx: ?Sized>: Work {
    /// Writes the whole group and gives one output for each member, in the same order.
    ///
    /// # Errors
    /// The adapter may write rows later than the call that hands them over, as long as nothing reads around them; so a
    /// refusal of the database may come with a later call, or after the end of `run`.
    ///
    /// An error undoes the whole group. The adapter then runs each member alone, so that only the member that
    /// cannot be written is refused.
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, Self::Error>;
}
