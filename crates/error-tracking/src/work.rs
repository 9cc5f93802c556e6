//! Requests as work that a store may group: those that arrive together are written by the same few statements.
//!
//! [`Collect`] is handed to [`Store::write_grouped`](storage::Store::write_grouped). A host that has to write more in the same
//! transaction, such as entries of a feed, says so by [`AfterCollect`]; one that has not says [`NothingMore`].

use storage::{GroupWork, StoreError, Work};

use crate::flow::collect::{CollectOutcome, collect};
use crate::model::Delivery;
use crate::store::CollectRepository;

/// What a host writes together with events. A value of the type belongs to one request.
pub trait AfterCollect<Tx: ?Sized>: Sized + Send + 'static {
    /// Writes what belongs to requests that were stored, in their order. The rows must not depend on which requests are written
    /// together.
    ///
    /// # Errors
    /// Failures of the store. Nothing of the requests is stored then.
    fn write(tx: &mut Tx, stored: &[(&Self, &Delivery, &CollectOutcome)])
    -> Result<(), StoreError>;
}

/// Nothing is written but errors and their events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NothingMore;

impl<Tx: ?Sized> AfterCollect<Tx> for NothingMore {
    fn write(_: &mut Tx, _: &[(&Self, &Delivery, &CollectOutcome)]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// One request to be stored: whole or not at all.
#[derive(Debug, Clone)]
pub struct Collect<A = NothingMore> {
    /// What the request brought.
    pub delivery: Delivery,
    /// What is written together with it.
    pub after: A,
}

impl Collect {
    /// Work that stores a request and nothing more.
    pub const fn new(delivery: Delivery) -> Self {
        Self {
            delivery,
            after: NothingMore,
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
        let deliveries: Vec<&Delivery> = group.iter().map(|work| &work.delivery).collect();
        let outcomes = collect(tx, &deliveries)?;
        let stored: Vec<(&A, &Delivery, &CollectOutcome)> = group
            .iter()
            .zip(&outcomes)
            .map(|(work, outcome)| (&work.after, &work.delivery, outcome))
            .collect();
        A::write(tx, &stored)?;
        Ok(outcomes)
    }
}
