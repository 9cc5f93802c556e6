//! POSTs as work that a store may group: those that arrive together are written by the same few statements.
//!
//! [`ReceiveAlerts`] is handed to [`Store::write_grouped`](storage::Store::write_grouped). A host that has to write more in
//! the same transaction, such as entries of a feed, says so by [`AfterReceive`]; one that has not says [`NothingMore`].

use storage::{GroupWork, StoreError, Work};

use crate::flow::receive::{DeliveryOutcome, KeyReused, receive};
use crate::model::Delivery;
use crate::store::AlertRepository;

/// What a host writes together with alerts. A value of the type belongs to one POST and says what is special to it, such
/// as an author.
pub trait AfterReceive<Tx: ?Sized>: Sized + Send + 'static {
    /// Writes what belongs to POSTs that were stored, in the order in which they were stored; those whose key was reused
    /// are left out. There may be none. The rows must not depend on which POSTs are written together.
    ///
    /// # Errors
    /// Failures of the store. Nothing of the POSTs is stored then.
    fn write(tx: &mut Tx, stored: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError>;
}

/// Nothing is written but alerts and receipts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NothingMore;

impl<Tx: ?Sized> AfterReceive<Tx> for NothingMore {
    fn write(_: &mut Tx, _: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// One POST to be stored: whole or not at all.
#[derive(Debug, Clone)]
pub struct ReceiveAlerts<A = NothingMore> {
    /// What the POST brought.
    pub delivery: Delivery,
    /// What is written together with it.
    pub after: A,
}

impl ReceiveAlerts {
    /// Work that stores a POST and nothing more.
    pub const fn new(delivery: Delivery) -> Self {
        Self {
            delivery,
            after: NothingMore,
        }
    }
}

impl<A: Send + 'static> Work for ReceiveAlerts<A> {
    type Output = Result<DeliveryOutcome, KeyReused>;
    type Error = StoreError;

    /// The alerts of a project are numbered under one lock, which is held until the commit.
    fn is_exclusive(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        self.delivery.body_bytes + size_of::<Self>()
    }
}

impl<A, Tx> GroupWork<Tx> for ReceiveAlerts<A>
where
    A: AfterReceive<Tx>,
    Tx: AlertRepository + ?Sized,
{
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, StoreError> {
        let deliveries: Vec<&Delivery> = group.iter().map(|work| &work.delivery).collect();
        let outcomes = receive(tx, &deliveries)?;
        let stored: Vec<(&A, &DeliveryOutcome)> = group
            .iter()
            .zip(&outcomes)
            .filter_map(|(work, outcome)| Some((&work.after, outcome.as_ref().ok()?)))
            .collect();
        A::write(tx, &stored)?;
        Ok(outcomes)
    }
}
