//! Probe rows: rows that encode numbers, so that the suite of the store itself runs on an adapter of any one crate.

#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
mod kinds;

use std::marker::PhantomData;

use storage::{GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind, Work};

#[cfg(any(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
pub use kinds::*;

/// Insertion of a probe row in a transaction of type `Tx`.
pub trait InsertProbeRow<Tx: ?Sized> {
    /// Inserts the row of a number that was not written before.
    ///
    /// # Errors
    /// Failures of the store.
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError>;
}

/// Reading of probe rows in a transaction of type `Tx`.
pub trait ListProbeRows<Tx: ?Sized> {
    /// Returns the numbers of all probe rows, in no particular order. Numbers are from 1 to 100.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError>;
}

/// A transaction as a case sees it.
pub trait ProbeRows {
    /// Writes a number that was not written before.
    ///
    /// # Errors
    /// Failures of the store.
    fn insert(&mut self, number: i64) -> Result<(), StoreError>;

    /// All numbers, the smallest first.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(&mut self) -> Result<Vec<i64>, StoreError>;
}

/// A transaction seen through probe rows of kind `M`.
struct ProbeRowsOf<'tx, Tx: ?Sized, M>(&'tx mut Tx, PhantomData<M>);

impl<Tx: ?Sized, M: InsertProbeRow<Tx> + ListProbeRows<Tx>> ProbeRows for ProbeRowsOf<'_, Tx, M> {
    fn insert(&mut self, number: i64) -> Result<(), StoreError> {
        M::insert(self.0, number)
    }

    fn list(&mut self) -> Result<Vec<i64>, StoreError> {
        let mut numbers = M::list(self.0)?;
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// Grouped work that writes one number and returns it, or refuses to.
#[derive(Debug)]
pub struct ProbeRowWork<M> {
    number: i64,
    refuses: bool,
    kind: PhantomData<fn() -> M>,
}

impl<M: 'static> Work for ProbeRowWork<M> {
    type Output = i64;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        size_of::<i64>()
    }
}

impl<Tx: ?Sized, M: InsertProbeRow<Tx> + 'static> GroupWork<Tx> for ProbeRowWork<M> {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::with_capacity(group.len());
        for work in group {
            M::insert(tx, work.number)?;
            if work.refuses {
                return Err(refusal());
            }
            numbers.push(work.number);
        }
        Ok(numbers)
    }
}

/// An error that a closure returns itself.
pub(crate) fn refusal() -> StoreError {
    StoreError::new(StoreErrorKind::Inconsistent, "simulated failure")
}

/// A store with probe rows of kind `M`.
pub trait ProbeStore<M>: Store {
    /// Runs a write closure.
    fn write_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn ProbeRows) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure in a lane. The closure can list all numbers.
    fn read_rows_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure, which can list all numbers.
    fn read_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E> {
        self.read_rows_in(Lane::Shared, work)
    }

    /// Writes a number as grouped work.
    fn write_row_grouped(&self, number: i64, refuses: bool) -> Pending<i64, StoreError>;

    /// Writes one number.
    fn write_row(&self, number: i64) -> Pending<(), StoreError> {
        self.write_rows(move |rows| rows.insert(number))
    }

    /// All numbers that are committed, the smallest first.
    fn numbers(&self) -> Vec<i64> {
        let listed: Result<Vec<i64>, StoreError> = self.read_rows(|list| list()).wait();
        listed.unwrap()
    }
}

impl<S: Store, M: 'static> ProbeStore<M> for S
where
    for<'t> M: InsertProbeRow<S::WriteTx<'t>>
        + ListProbeRows<S::WriteTx<'t>>
        + ListProbeRows<S::ReadTx<'t>>,
{
    fn write_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn ProbeRows) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E> {
        self.write(move |tx| work(&mut ProbeRowsOf::<_, M>(tx, PhantomData)))
    }

    fn read_rows_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E> {
        self.read_in(lane, move |tx| {
            work(&mut || {
                let mut numbers = M::list(tx)?;
                numbers.sort_unstable();
                Ok(numbers)
            })
        })
    }

    fn write_row_grouped(&self, number: i64, refuses: bool) -> Pending<i64, StoreError> {
        self.write_grouped(ProbeRowWork::<M> {
            number,
            refuses,
            kind: PhantomData,
        })
    }
}
