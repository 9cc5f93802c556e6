//! Stores by what their transactions can do, so that a case names one bound instead of two that range over
//! lifetimes.

#[cfg(feature = "accounts")]
use accounts::{AccountQueries, AccountReadTx, AccountRepository, AccountWriteTx};
#[cfg(feature = "alert-intake")]
use alert_intake::store::{AlertReadTx, AlertWriteTx};
#[cfg(feature = "deprecations")]
use deprecations::{UseReadTx, UseWriteTx};
#[cfg(feature = "error-tracking")]
use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
#[cfg(feature = "events")]
use events::{EventReadTx, EventWriteTx};
#[cfg(feature = "oauth-provider")]
use oauth_provider::{OauthReadTx, OauthWriteTx};
#[cfg(feature = "pipelines")]
use pipelines::store::{CiReadTx, CiWriteTx};
#[cfg(feature = "projects")]
use projects::{ProjectReadTx, ProjectWriteTx};
use storage::{Pending, Store, StoreError};

use crate::entity::{Area, Serves};

/// Defines a trait of stores whose transactions implement the repository traits of an area.
macro_rules! store_trait {
    (
        $(#[$doc:meta])*
        $name:ident in $area:ident: $write:ident = $repository:ident; $read:ident = $queries:ident
    ) => {
        $(#[$doc])*
        pub trait $name: Store {
            /// Runs a write closure.
            fn $write<T: Send + 'static>(
                &self,
                work: impl Fn(&mut dyn $repository) -> Result<T, StoreError> + Send + 'static,
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
                work: impl Fn(&mut dyn $repository) -> Result<T, StoreError> + Send + 'static,
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

        /// The transactions of a store of this area.
        #[derive(Debug)]
        pub struct $area;

        impl Area for $area {
            type Read<'t> = dyn $queries + 't;
            type Write<'t> = dyn $repository + 't;
        }

        impl<S: $name> Serves<$area> for S {
            fn change<T: Send + 'static>(
                &self,
                work: impl for<'t> Fn(&mut (dyn $repository + 't)) -> Result<T, StoreError>
                + Send
                + 'static,
            ) -> Pending<T, StoreError> {
                self.$write(move |tx| work(tx))
            }

            fn ask<T: Send + 'static>(
                &self,
                work: impl for<'t> FnOnce(&mut (dyn $queries + 't)) -> Result<T, StoreError>
                + Send
                + 'static,
            ) -> Pending<T, StoreError> {
                self.$read(move |tx| work(tx))
            }
        }
    };
}

#[cfg(feature = "accounts")]
store_trait! {
    /// A store of users and tokens.
    Accounts in AccountArea: write_accounts = AccountRepository; read_accounts = AccountQueries
}

#[cfg(feature = "projects")]
store_trait! {
    /// A store of namespaces, projects, members and what is in projects.
    Projects in ProjectArea: write_projects = ProjectWriteTx; read_projects = ProjectReadTx
}

#[cfg(feature = "alert-intake")]
store_trait! {
    /// A store of alerts, their endpoints and their receipts.
    Alerts in AlertArea: write_alerts = AlertWriteTx; read_alerts = AlertReadTx
}

#[cfg(feature = "error-tracking")]
store_trait! {
    /// A store of errors, their events, and the settings of error tracking.
    Errors in ErrorArea: write_errors = ErrorWriteTx; read_errors = ErrorReadTx
}

#[cfg(feature = "pipelines")]
store_trait! {
    /// A store of environments, deployments, pipelines and jobs.
    Reports in CiArea: write_reports = CiWriteTx; read_reports = CiReadTx
}

#[cfg(feature = "events")]
store_trait! {
    /// A store of the feed.
    Events in EventArea: write_events = EventWriteTx; read_events = EventReadTx
}

#[cfg(feature = "deprecations")]
store_trait! {
    /// A store of who uses deprecated things.
    Uses in UseArea: write_uses = UseWriteTx; read_uses = UseReadTx
}

#[cfg(feature = "accounts")]
store_trait! {
    /// A store of users, what they sign in with, and their sessions.
    SignIn in SignInArea: write_sign_in = AccountWriteTx; read_sign_in = AccountReadTx
}

#[cfg(feature = "oauth-provider")]
store_trait! {
    /// A store of applications, grants, tokens and signing keys.
    Oauth in OauthArea: write_oauth = OauthWriteTx; read_oauth = OauthReadTx
}

/// What needs the rows of every crate.
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines"
))]
mod everything {
    use accounts::{AccountReadTx, AccountWriteTx};
    use alert_intake::store::{AlertReadTx, AlertWriteTx};
    use deprecations::{UseReadTx, UseWriteTx};
    use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
    use events::{EventReadTx, EventWriteTx};
    use oauth_provider::{OauthReadTx, OauthWriteTx};
    use pipelines::store::{CiReadTx, CiWriteTx};
    use projects::{ProjectReadTx, ProjectWriteTx};
    use storage::{Pending, Store, StoreError};

    use crate::entity::{Area, Serves};

    /// A read transaction over the rows of every crate.
    pub trait AllQueries:
        AccountReadTx
        + ProjectReadTx
        + AlertReadTx
        + ErrorReadTx
        + EventReadTx
        + OauthReadTx
        + UseReadTx
        + CiReadTx
    {
    }
    impl<T> AllQueries for T where
        T: AccountReadTx
            + ProjectReadTx
            + AlertReadTx
            + ErrorReadTx
            + EventReadTx
            + OauthReadTx
            + UseReadTx
            + CiReadTx
    {
    }

    /// A write transaction over the rows of every crate.
    pub trait AllRepositories:
        AllQueries
        + AccountWriteTx
        + ProjectWriteTx
        + AlertWriteTx
        + ErrorWriteTx
        + EventWriteTx
        + OauthWriteTx
        + UseWriteTx
        + CiWriteTx
    {
    }
    impl<T> AllRepositories for T where
        T: AccountWriteTx
            + ProjectWriteTx
            + AlertWriteTx
            + ErrorWriteTx
            + EventWriteTx
            + OauthWriteTx
            + UseWriteTx
            + CiWriteTx
    {
    }

    store_trait! {
        /// A store of everything.
        Everything in EveryArea: write_all = AllRepositories; read_all = AllQueries
    }
}
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines"
))]
pub use everything::{AllQueries, AllRepositories, EveryArea, Everything};
