//! Rows that stand for numbers, so that the suite of the store itself runs on an adapter of any one crate.

use std::marker::PhantomData;

use api_conventions::ids::{ProjectId, UserId};
use storage::{GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind, Work};

use crate::samples::moment;

/// How a transaction of type `Tx` writes a number that was not written before.
pub trait PutMark<Tx: ?Sized> {
    /// Writes it.
    ///
    /// # Errors
    /// Failures of the store.
    fn put(tx: &mut Tx, number: i64) -> Result<(), StoreError>;
}

/// How a transaction of type `Tx` reads the numbers.
pub trait ListMarks<Tx: ?Sized> {
    /// All of them, in no particular order. Numbers are from 1 to 100.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError>;
}

/// What a case sees of a transaction.
pub trait Marks {
    /// Writes a number that was not written before.
    ///
    /// # Errors
    /// Failures of the store.
    fn put(&mut self, number: i64) -> Result<(), StoreError>;

    /// All numbers, the smallest first.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(&mut self) -> Result<Vec<i64>, StoreError>;
}

/// A transaction seen through marks of kind `M`.
struct Marking<'tx, Tx: ?Sized, M>(&'tx mut Tx, PhantomData<M>);

impl<Tx: ?Sized, M: PutMark<Tx> + ListMarks<Tx>> Marks for Marking<'_, Tx, M> {
    fn put(&mut self, number: i64) -> Result<(), StoreError> {
        M::put(self.0, number)
    }

    fn list(&mut self) -> Result<Vec<i64>, StoreError> {
        let mut numbers = M::list(self.0)?;
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// Grouped work that writes one number and gives it back, or refuses to.
#[derive(Debug)]
pub struct MarkWork<M> {
    number: i64,
    refuses: bool,
    kind: PhantomData<fn() -> M>,
}

impl<M: 'static> Work for MarkWork<M> {
    type Output = i64;
    type Error = StoreError;

    const ALONE: bool = false;

    fn weight(&self) -> usize {
        size_of::<i64>()
    }
}

impl<Tx: ?Sized, M: PutMark<Tx> + 'static> GroupWork<Tx> for MarkWork<M> {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::with_capacity(group.len());
        for work in group {
            M::put(tx, work.number)?;
            if work.refuses {
                return Err(refusal());
            }
            numbers.push(work.number);
        }
        Ok(numbers)
    }
}

/// An error that a closure gives of its own accord.
pub(crate) fn refusal() -> StoreError {
    StoreError::new(StoreErrorKind::Inconsistent, "refuse, as the case wants")
}

/// A store that keeps marks of kind `M`.
pub trait Marked<M>: Store {
    /// Runs a write closure.
    fn change<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Marks) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure in a lane, with a way to ask for all numbers.
    fn ask_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure with a way to ask for all numbers.
    fn ask<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E> {
        self.ask_in(Lane::Shared, work)
    }

    /// Writes a number as grouped work.
    fn group(&self, number: i64, refuses: bool) -> Pending<i64, StoreError>;

    /// Writes one number.
    fn put(&self, number: i64) -> Pending<(), StoreError> {
        self.change(move |marks| marks.put(number))
    }

    /// All numbers that are committed, the smallest first.
    fn numbers(&self) -> Vec<i64> {
        let listed: Result<Vec<i64>, StoreError> = self.ask(|list| list()).wait();
        listed.unwrap()
    }
}

impl<S: Store, M: 'static> Marked<M> for S
where
    for<'t> M: PutMark<S::WriteTx<'t>> + ListMarks<S::WriteTx<'t>> + ListMarks<S::ReadTx<'t>>,
{
    fn change<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn Marks) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E> {
        self.write(move |tx| work(&mut Marking::<_, M>(tx, PhantomData)))
    }

    fn ask_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
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

    fn group(&self, number: i64, refuses: bool) -> Pending<i64, StoreError> {
        self.write_grouped(MarkWork::<M> {
            number,
            refuses,
            kind: PhantomData,
        })
    }
}

/// The project that marks belong to. Nothing checks that it exists: events and receipts outlive projects.
const PROJECT: ProjectId = ProjectId::new(1);

/// Marks that are usernames.
#[derive(Debug)]
pub struct AccountMarks;

impl<Tx: accounts::AccountRepository + ?Sized> PutMark<Tx> for AccountMarks {
    fn put(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.insert_user(&crate::accounts::user(&format!("mark{number}")))
            .map(drop)
    }
}

impl<Tx: accounts::AccountQueries + ?Sized> ListMarks<Tx> for AccountMarks {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::new();
        for number in 1..=100 {
            let found = tx.find_user_by_username(&format!("mark{number}"))?;
            numbers.extend(found.map(|_| number));
        }
        Ok(numbers)
    }
}

/// Marks that are lengths of bodies in receipts.
#[derive(Debug)]
pub struct AlertMarks;

impl<Tx: alert_intake::store::AlertRepository + ?Sized> PutMark<Tx> for AlertMarks {
    fn put(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let mut receipt = crate::alerts::receipt(PROJECT, 1);
        receipt.body_bytes = number;
        tx.insert_receipts(&[receipt])
    }
}

impl<Tx: alert_intake::store::AlertQueries + ?Sized> ListMarks<Tx> for AlertMarks {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let receipts = tx.list_receipts(PROJECT, crate::samples::page(1, 100))?;
        let receipts = receipts.items.iter();
        Ok(receipts.map(|one| one.receipt.body_bytes).collect())
    }
}

/// Marks that are authors of feed entries.
#[derive(Debug)]
pub struct EventMarks;

impl<Tx: events::EventRepository + ?Sized> PutMark<Tx> for EventMarks {
    fn put(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.insert_events(&[events::NewEvent {
            project_id: PROJECT,
            author_id: UserId::new(number),
            action: events::Action::Created,
            target: None,
            audience: events::Audience::Everyone,
            created_at: moment(0),
        }])
    }
}

impl<Tx: events::EventQueries + ?Sized> ListMarks<Tx> for EventMarks {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let filter = events::EventFilter::new(PROJECT, events::Audience::Everyone);
        let listed = tx.list_project_events(&filter, crate::samples::page(1, 100))?;
        Ok(listed.items.iter().map(|one| one.author_id.get()).collect())
    }
}
