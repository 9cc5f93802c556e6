//! Stores by what their transactions can do, so that a case names one bound instead of two that range over
//! lifetimes.

use accounts::{AccountQueries, AccountRepository};
use alert_intake::store::{AlertQueries, AlertRepository};
use events::{EventQueries, EventRepository};
use projects::{ProjectQueries, ProjectRepository};
use storage::{Pending, Store, StoreError};

/// Defines a trait of stores whose transactions implement the repository traits of an area.
macro_rules! reach {
    (
        $(#[$doc:meta])*
        $name:ident: $write:ident = $repository:ident; $read:ident = $queries:ident
    ) => {
        $(#[$doc])*
        pub trait $name: Store {
            /// Runs a write closure.
            fn $write<T: Send + 'static>(
                &self,
                work: impl FnOnce(&mut dyn $repository) -> Result<T, StoreError> + Send + 'static,
            ) -> Pending<T, StoreError>;

            /// Runs a read closure.
            fn $read<T: Send + 'static>(
                &self,
                work: impl FnOnce(&mut dyn $queries) -> Result<T, StoreError> + Send + 'static,
            ) -> Pending<T, StoreError>;
        }

        impl<S: Store> $name for S
        where
            for<'t> S::WriteTx<'t>: $repository + Sized,
            for<'t> S::ReadTx<'t>: $queries + Sized,
        {
            fn $write<T: Send + 'static>(
                &self,
                work: impl FnOnce(&mut dyn $repository) -> Result<T, StoreError> + Send + 'static,
            ) -> Pending<T, StoreError> {
                self.write(move |tx| work(tx))
            }

            fn $read<T: Send + 'static>(
                &self,
                work: impl FnOnce(&mut dyn $queries) -> Result<T, StoreError> + Send + 'static,
            ) -> Pending<T, StoreError> {
                self.read(move |tx| work(tx))
            }
        }
    };
}

reach! {
    /// A store of users and tokens.
    Accounts: change_accounts = AccountRepository; ask_accounts = AccountQueries
}

reach! {
    /// A store of namespaces, projects and members.
    Projects: change_projects = ProjectRepository; ask_projects = ProjectQueries
}

reach! {
    /// A store of alerts, their endpoints and their receipts.
    Alerts: change_alerts = AlertRepository; ask_alerts = AlertQueries
}

reach! {
    /// A store of the feed.
    Events: change_events = EventRepository; ask_events = EventQueries
}

/// A read transaction over the rows of every crate.
pub trait AllQueries: AccountQueries + ProjectQueries + AlertQueries + EventQueries {}
impl<T: AccountQueries + ProjectQueries + AlertQueries + EventQueries> AllQueries for T {}

/// A write transaction over the rows of every crate.
pub trait AllRepositories:
    AllQueries + AccountRepository + ProjectRepository + AlertRepository + EventRepository
{
}
impl<T: AccountRepository + ProjectRepository + AlertRepository + EventRepository> AllRepositories
    for T
{
}

reach! {
    /// A store of everything.
    Everything: change_all = AllRepositories; ask_all = AllQueries
}
