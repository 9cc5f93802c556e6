//! POSTs as work that a store may group: the same few statements write POSTs that arrive together.
//!
//! Pass [`ReceiveAlerts`] to [`Store::write_grouped`](storage::Store::write_grouped). A host that has to write more in
//! the same transaction, such as feed entries, implements [`AfterReceive`]; other hosts use [`NothingMore`].

use storage::{GroupWork, StoreError, Work};

use crate::flow::receive::{DeliveryOutcome, KeyReused, receive};
use crate::model::Delivery;
use crate::store::AlertRepository;

/// Extra writes of a host together with alerts. A value of the type belongs to one POST and carries its specifics, such
/// as an author.
pub trait AfterReceive<Tx: ?Sized>: Sized + Send + 'static {
    /// Writes the rows that belong to stored POSTs, in the order in which they were stored; POSTs refused for a reused
    /// key are left out. The list may be empty. The rows must not depend on which POSTs are written together.
    ///
    /// # Errors
    /// Failures of the store. Nothing of the POSTs is stored in that case.
    fn write(tx: &mut Tx, stored: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError>;
}

/// No extra writes: only alerts and receipts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NothingMore;

impl<Tx: ?Sized> AfterReceive<Tx> for NothingMore {
    fn write(_: &mut Tx, _: &[(&Self, &DeliveryOutcome)]) -> Result<(), StoreError> {
        Ok(())
    }
}

/// A POST to store, completely or not at all.
#[derive(Debug, Clone)]
pub struct ReceiveAlerts<A = NothingMore> {
    /// Content of the POST.
    pub delivery: Delivery,
    /// Extra data to write with it.
    pub after: A,
}

impl ReceiveAlerts {
    /// Creates work that stores a POST and nothing more.
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

    /// Alerts of a project are numbered under one lock, which is held until the commit.
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
