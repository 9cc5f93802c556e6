//! Requests as work that a store may group: requests that arrive together are written by the same few statements.
//!
//! [`Collect`] is passed to [`Store::write_grouped`](storage::Store::write_grouped). A host that writes more in the
//! same transaction, such as entries of a feed, implements [`AfterCollect`]; any other host uses [`CollectOnly`].

use storage::{GroupWork, StoreError, Work};

use crate::flow::collect::{CollectOutcome, store_deliveries};
use crate::model::EventDelivery;
use crate::store::CollectRepository;

/// Additional writes of a host in the transaction that stores events.
/// A value of the type belongs to one request.
pub trait AfterCollect<Tx: ?Sized>: Sized + Send + 'static {
    /// Writes what belongs to the stored requests, in their order.
    /// The rows must not depend on which requests are written together.
    ///
    /// # Errors
    /// Failures of the store. None of the requests is stored then.
    fn write(
        tx: &mut Tx,
        stored: &[(&Self, &EventDelivery, &CollectOutcome)],
    ) -> Result<(), StoreError>;
}

/// No additional writes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CollectOnly;

impl<Tx: ?Sized> AfterCollect<Tx> for CollectOnly {
    fn write(_: &mut Tx, _: &[(&Self, &EventDelivery, &CollectOutcome)]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Request to be stored: whole or not at all.
#[derive(Debug, Clone)]
pub struct Collect<A = CollectOnly> {
    /// Content of the request.
    pub delivery: EventDelivery,
    /// Additional writes for the request.
    pub after: A,
}

impl Collect {
    /// Creates work that stores a request and nothing more.
    pub const fn new(delivery: EventDelivery) -> Self {
        Self {
            delivery,
            after: CollectOnly,
        }
    }
}

impl<A: Send + 'static> Work for Collect<A> {
    type Output = CollectOutcome;
    type Error = StoreError;

    /// The errors of a project are numbered under one lock, which is held until the commit.
    fn is_exclusive(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        self.delivery.weight()
    }
}

impl<A, Tx> GroupWork<Tx> for Collect<A>
where
    A: AfterCollect<Tx>,
    Tx: CollectRepository + ?Sized,
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<CollectOutcome>, StoreError> {
        let deliveries: Vec<&EventDelivery> = group.iter().map(|work| &work.delivery).collect();
        let outcomes = store_deliveries(tx, &deliveries)?;
        let stored: Vec<(&A, &EventDelivery, &CollectOutcome)> = group
            .iter()
            .zip(&outcomes)
            .map(|(work, outcome)| (&work.after, &work.delivery, outcome))
            .collect();
        A::write(tx, &stored)?;
        Ok(outcomes)
    }
}
