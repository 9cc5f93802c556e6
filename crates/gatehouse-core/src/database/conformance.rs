//! The database of the program keeps every promise of the storage contract: it is a wrapper around an adapter, and a
//! wrapper is an adapter.
//!
//! The suites want transactions of a type whose size is known, and those of [`Database`] are behind `dyn`. So this hands
//! everything on, through a transaction that hands everything on.

mod postgres;
mod sqlite;

use storage::{Capabilities, GroupWork, Lane, Pending, Store, StoreError, Work};

use super::recording::{Looking, Recording};
use super::{Database, WriteTransaction};

/// The database, with transactions of known size.
struct Forwarding(Database);

impl Store for Forwarding {
    type ReadTx<'t> = Looking<'t>;
    type WriteTx<'t> = Recording<'t>;

    fn read_in<T, E, F>(&self, lane: Lane, work: F) -> Pending<T, E>
    where
        F: for<'t> FnOnce(&mut Self::ReadTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.read_in(lane, move |tx| work(&mut Looking::over(tx)))
    }

    fn write<T, E, F>(&self, work: F) -> Pending<T, E>
    where
        F: for<'t> Fn(&mut Self::WriteTx<'t>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.0.write(move |tx| work(&mut Recording::over(tx)))
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<Self::WriteTx<'t>>,
    {
        self.0.write_grouped(Forwarded(work))
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }
}

/// Work over a transaction of known size.
struct Forwarded<W>(W);

impl<W: Work> Work for Forwarded<W> {
    type Output = W::Output;
    type Error = W::Error;

    const EXCLUSIVE: bool = W::EXCLUSIVE;

    fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl<'t, W> GroupWork<dyn WriteTransaction + 't> for Forwarded<W>
where
    W: for<'r> GroupWork<Recording<'r>>,
{
    fn run(
        tx: &mut (dyn WriteTransaction + 't),
        group: &[&Self],
    ) -> Result<Vec<Self::Output>, Self::Error> {
        let inner: Vec<&W> = group.iter().map(|work| &work.0).collect();
        W::run(&mut Recording::over(tx), &inner)
    }
}

/// What both databases need to run the suites.
macro_rules! suites {
    ($harness:ident) => {
        mod store {
            storage_conformance::store_suite!(super::$harness);
        }
        mod accounts {
            storage_conformance::accounts_suite!(super::$harness);
        }
        mod sign_in {
            storage_conformance::sign_in_suite!(super::$harness);
        }
        mod oauth {
            storage_conformance::oauth_suite!(super::$harness);
        }
        mod projects {
            storage_conformance::projects_suite!(super::$harness);
        }
        mod alerts {
            storage_conformance::alerts_suite!(super::$harness);
        }
        mod events {
            storage_conformance::events_suite!(super::$harness);
        }
        mod deprecations {
            storage_conformance::deprecations_suite!(super::$harness);
        }
        mod errors {
            storage_conformance::errors_suite!(super::$harness);
        }
        mod pipelines {
            storage_conformance::pipelines_suite!(super::$harness);
        }
        mod cross {
            storage_conformance::cross_suite!(super::$harness);
        }
    };
}

use suites;

/// The rows that others refer to.
macro_rules! rows_of_others {
    () => {
        fn people(&self) -> [UserId; 3] {
            insert_people(&self.store)
        }

        fn places(&self) -> [ProjectId; 2] {
            let owner = storage_conformance::accounts::insert_place_owner(&self.store);
            insert_places(&self.store, owner)
        }

        fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3] {
            insert_sessions(&self.store, people)
        }
    };
}

use rows_of_others;
