//! Stores behind `dyn`: the building blocks of [`dyn_store!`](crate::dyn_store).

use std::any::{Any, TypeId};
use std::fmt;

use crate::{GroupWork, Pending, StoreError, StoreErrorKind, Work};

/// Type-erased output of a closure.
pub type AnyOutput = Box<dyn Any + Send>;

/// Type-erased error of a closure behind `dyn`.
pub struct AnyError(Cause);

enum Cause {
    /// The store failed before or after the closure.
    Store(StoreError),
    /// The closure failed, with an error of its own type.
    Closure(AnyOutput),
}

/// The outcome of a closure behind `dyn`.
pub type AnyResult = Result<AnyOutput, AnyError>;

/// Pending outcome of a transaction behind `dyn`.
pub type AnyPending = Pending<AnyOutput, AnyError>;

impl From<StoreError> for AnyError {
    fn from(error: StoreError) -> Self {
        Self(Cause::Store(error))
    }
}

impl fmt::Debug for AnyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyError").finish_non_exhaustive()
    }
}

/// Erases the types of a closure's result.
///
/// # Errors
/// The error of the closure.
pub fn forget<T, E>(outcome: Result<T, E>) -> AnyResult
where
    T: Send + 'static,
    E: Send + 'static,
{
    match outcome {
        Ok(output) => Ok(Box::new(output)),
        Err(error) => Err(AnyError(Cause::Closure(Box::new(error)))),
    }
}

/// Restores the types that [`forget`] erased.
///
/// # Errors
/// The error of the closure, or the store's.
pub fn recall<T, E>(outcome: AnyResult) -> Result<T, E>
where
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    match outcome {
        Ok(output) => Ok(*known(output)?),
        Err(AnyError(Cause::Closure(error))) => Err(*known::<E>(error)?),
        Err(AnyError(Cause::Store(error))) => Err(error.into()),
    }
}

/// Downcasts a value to its type.
/// Fails only if an implementation returns a value that the closure did not return.
fn known<T: 'static>(value: AnyOutput) -> Result<Box<T>, StoreError> {
    let other = |_| StoreError::new(StoreErrorKind::Internal, "return the output of a closure");
    value.downcast().map_err(other)
}

/// The outcome of a group behind `dyn`: one output for each member.
pub type AnyOutputs = Result<Vec<AnyOutput>, AnyError>;

/// Type-erased grouped work, with the function that runs a group of its kind.
/// `R` is a function of the transaction and the values of the members.
#[derive(Debug)]
pub struct AnyWork<R> {
    value: AnyOutput,
    kind: TypeId,
    is_exclusive: bool,
    weight: usize,
    run: R,
}

impl<R: Copy> AnyWork<R> {
    /// Erases the type of `work`; `run` knows that type.
    pub fn new<W: Work>(work: W, run: R) -> Self {
        Self {
            kind: work.kind(),
            is_exclusive: work.is_exclusive(),
            weight: work.weight(),
            value: Box::new(work),
            run,
        }
    }

    /// See [`Work::kind`].
    pub const fn kind(&self) -> TypeId {
        self.kind
    }

    /// See [`Work::is_exclusive`].
    pub const fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }

    /// See [`Work::weight`].
    pub const fn weight(&self) -> usize {
        self.weight
    }

    /// Returns the function that runs a group whose first member is this work.
    pub const fn run(&self) -> R {
        self.run
    }

    /// Returns the type-erased value.
    pub const fn value(&self) -> &AnyOutput {
        &self.value
    }
}

/// Runs a group of type-erased work of type `W`.
///
/// # Errors
/// The error of the group.
pub fn run_group<W, Tx>(tx: &mut Tx, group: &[&AnyOutput]) -> AnyOutputs
where
    W: GroupWork<Tx>,
    Tx: ?Sized,
{
    let members = group.iter().map(|value| value.downcast_ref::<W>());
    let members: Option<Vec<&W>> = members.collect();
    let other = || StoreError::new(StoreErrorKind::Internal, "run a group of writes");
    let outputs = W::run(tx, &members.ok_or_else(other)?);
    let outputs = outputs.map_err(|error| AnyError(Cause::Closure(Box::new(error))))?;
    Ok(outputs
        .into_iter()
        .map(|output| Box::new(output) as AnyOutput)
        .collect())
}

/// Type of erased grouped work for the write transactions of a trait.
#[doc(hidden)]
#[macro_export]
macro_rules! any_work {
    ($write:ident) => {
        $crate::dynamic::AnyWork<
            for<'a, 't> fn(
                &'a mut (dyn $write + 't),
                &[&$crate::dynamic::AnyOutput],
            ) -> $crate::dynamic::AnyOutputs,
        >
    };
}

/// Defines the dyn-compatible form of a store, so that a host can hold `Arc<dyn …>` and name no adapter.
///
/// The macro takes the repository traits of a crate: those of all transactions after `Read`, those of write
/// transactions after `Write`. It defines three traits:
///
/// * one for each kind of transaction, with the methods of all its repository traits; every type with those methods
///   implements it;
/// * the store's trait, implemented by every [`Store`](crate::Store) whose transactions are `Sized` and implement the
///   other two.
///
/// The store behind `dyn` is a [`Store`](crate::Store) again, though not a `Sized` one. Its transactions are the first
/// two traits behind `dyn`, so flows and all other code that is generic over `S: Store + ?Sized` work with it.
///
/// Each closure behind `dyn` costs two allocations more than one that names the adapter, and is compiled once for all
/// adapters.
///
/// ```
/// use std::sync::Arc;
/// use storage::{StoreError, StoreExt as _};
///
/// pub trait CounterQueries { fn count(&mut self) -> Result<i64, StoreError>; }
/// pub trait CounterRepository: CounterQueries { fn raise(&mut self) -> Result<(), StoreError>; }
///
/// storage::dyn_store! {
///     /// A store of a counter.
///     pub trait CounterStore {
///         /// Transaction of a read closure.
///         type Read: CounterReadTx = CounterQueries;
///         /// Transaction of a write closure.
///         type Write: CounterWriteTx = CounterRepository;
///     }
/// }
///
/// fn raise(store: &Arc<dyn CounterStore>) -> Result<i64, StoreError> {
///     store.change(|tx| tx.raise()).wait()?;
///     store.query(|tx| tx.count()).wait()
/// }
/// ```
#[macro_export]
macro_rules! dyn_store {
    (
        $(#[$store_doc:meta])*
        pub trait $store:ident {
            $(#[$read_doc:meta])*
            type Read: $read:ident = $first_queries:ident $(<$first_read:ty>)? $(+ $queries:ident $(<$also_read:ty>)?)*;
            $(#[$write_doc:meta])*
            type Write: $write:ident = $first_repository:ident $(<$first_written:ty>)?
                $(+ $repository:ident $(<$also_written:ty>)?)*;
        }
    ) => {
        $(#[$read_doc])*
        pub trait $read: $first_queries $(<$first_read>)? $(+ $queries $(<$also_read>)?)* {}

        impl<T: $first_queries $(<$first_read>)? $(+ $queries $(<$also_read>)?)* + ?Sized> $read for T {}

        $(#[$write_doc])*
        pub trait $write: $read + $first_repository $(<$first_written>)? $(+ $repository $(<$also_written>)?)* {}

        impl<T: $first_repository $(<$first_written>)? $(+ $repository $(<$also_written>)?)* + ?Sized> $write for T {}

        $(#[$store_doc])*
        pub trait $store: Send + Sync + 'static {
            /// Runs a type-erased closure in a read transaction.
            /// Call [`Store::read_in`](storage::Store::read_in) instead.
            #[doc(hidden)]
            fn read_dyn(
                &self,
                lane: $crate::Lane,
                work: Box<dyn FnOnce(&mut (dyn $read + '_)) -> $crate::dynamic::AnyResult + Send>,
            ) -> $crate::dynamic::AnyPending;

            /// Runs a type-erased closure in a write transaction.
            /// Call [`Store::write`](storage::Store::write) instead.
            #[doc(hidden)]
            fn write_dyn(
                &self,
                work: Box<dyn Fn(&mut (dyn $write + '_)) -> $crate::dynamic::AnyResult + Send>,
            ) -> $crate::dynamic::AnyPending;

            /// Writes type-erased work, possibly together with other work of its kind.
            /// Call [`Store::write_grouped`](storage::Store::write_grouped) instead.
            #[doc(hidden)]
            fn write_grouped_dyn(
                &self,
                work: $crate::any_work!($write),
            ) -> $crate::dynamic::AnyPending;

            /// Returns the capabilities of the adapter beyond the shared contract.
            /// Call [`Store::capabilities`](storage::Store::capabilities) instead.
            #[doc(hidden)]
            fn capabilities_dyn(&self) -> $crate::Capabilities;
        }

        impl<S: $crate::Store> $store for S
        where
            for<'t> S::ReadTx<'t>: $read + Sized,
            for<'t> S::WriteTx<'t>: $write + Sized,
        {
            fn read_dyn(
                &self,
                lane: $crate::Lane,
                work: Box<dyn FnOnce(&mut (dyn $read + '_)) -> $crate::dynamic::AnyResult + Send>,
            ) -> $crate::dynamic::AnyPending {
                self.read_in(lane, move |tx| work(tx))
            }

            fn write_dyn(
                &self,
                work: Box<dyn Fn(&mut (dyn $write + '_)) -> $crate::dynamic::AnyResult + Send>,
            ) -> $crate::dynamic::AnyPending {
                self.write(move |tx| work(tx))
            }

            fn write_grouped_dyn(
                &self,
                work: $crate::any_work!($write),
            ) -> $crate::dynamic::AnyPending {
                struct ErasedWork(
                    $crate::any_work!($write),
                );

                impl $crate::Work for ErasedWork {
                    type Output = $crate::dynamic::AnyOutput;
                    type Error = $crate::dynamic::AnyError;

                    fn kind(&self) -> std::any::TypeId {
                        self.0.kind()
                    }

                    fn is_exclusive(&self) -> bool {
                        self.0.is_exclusive()
                    }

                    fn weight(&self) -> usize {
                        self.0.weight()
                    }
                }

                impl<Tx: $write> $crate::GroupWork<Tx> for ErasedWork {
                    fn run(tx: &mut Tx, group: &[&Self]) -> $crate::dynamic::AnyOutputs {
                        let Some(first) = group.first() else {
                            return Ok(Vec::new());
                        };
                        let values: Vec<_> = group.iter().map(|work| work.0.value()).collect();
                        (first.0.run())(tx, &values)
                    }
                }

                self.write_grouped(ErasedWork(work))
            }

            fn capabilities_dyn(&self) -> $crate::Capabilities {
                self.capabilities()
            }
        }

        impl $crate::Store for dyn $store {
            type ReadTx<'t> = dyn $read + 't;
            type WriteTx<'t> = dyn $write + 't;

            fn read_in<T, E, F>(&self, lane: $crate::Lane, work: F) -> $crate::Pending<T, E>
            where
                F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
                T: Send + 'static,
                E: From<$crate::StoreError> + Send + 'static,
            {
                let work = move |tx: &mut (dyn $read + '_)| $crate::dynamic::forget(work(tx));
                self.read_dyn(lane, Box::new(work)).typed()
            }

            fn write<T, E, F>(&self, work: F) -> $crate::Pending<T, E>
            where
                F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
                T: Send + 'static,
                E: From<$crate::StoreError> + Send + 'static,
            {
                let work = move |tx: &mut (dyn $write + '_)| $crate::dynamic::forget(work(tx));
                self.write_dyn(Box::new(work)).typed()
            }

            fn write_grouped<W>(&self, work: W) -> $crate::Pending<W::Output, W::Error>
            where
                W: for<'t> $crate::GroupWork<Self::WriteTx<'t>>,
            {
                fn run<W>(
                    tx: &mut (dyn $write + '_),
                    group: &[&$crate::dynamic::AnyOutput],
                ) -> $crate::dynamic::AnyOutputs
                where
                    W: for<'t> $crate::GroupWork<dyn $write + 't>,
                {
                    $crate::dynamic::run_group::<W, _>(tx, group)
                }

                self.write_grouped_dyn($crate::dynamic::AnyWork::new(work, run::<W>)).typed()
            }

            fn capabilities(&self) -> $crate::Capabilities {
                self.capabilities_dyn()
            }
        }

        impl std::fmt::Debug for dyn $store {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($store)).finish_non_exhaustive()
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_that_were_forgotten_several_times_are_found_again() {
        let inner: AnyPending = Pending::ready(forget::<_, StoreError>(Ok(7)));
        let middle: AnyPending = Pending::ready(forget(inner.wait()));
        let response = middle.typed::<AnyOutput, AnyError>().typed::<i32, _>();
        assert_eq!(
            response.wait().map_err(|error: StoreError| error.kind()),
            Ok(7)
        );
    }

    #[test]
    fn an_error_is_found_again_as_it_was() {
        let conflict = StoreError::new(StoreErrorKind::Conflict, "test");
        let inner: AnyPending = Pending::ready(forget::<(), _>(Err(conflict)));
        let refused = inner.typed::<(), StoreError>().wait();
        assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Conflict);
    }
}
