//! Stores by what their transactions can do, so that a case names one bound instead of two that range over
//! lifetimes.

#[cfg(feature = "accounts")]
use accounts::{
    AccountQueries, AccountRepository, CredentialQueries, CredentialRepository, SessionQueries,
    SessionRepository,
};
#[cfg(feature = "alert-intake")]
use alert_intake::store::{AlertQueries, AlertRepository};
#[cfg(feature = "events")]
use events::{EventQueries, EventRepository};
#[cfg(feature = "oauth-provider")]
use oauth_provider::{
    ApplicationQueries, ApplicationRepository, GrantQueries, GrantRepository, SigningKeyQueries,
    SigningKeyRepository,
};
#[cfg(feature = "projects")]
use projects::{LabelContent, MilestoneContent, ProjectQueries, ProjectRepository};
#[cfg(feature = "projects")]
use records::{RecordQueries, RecordRepository};
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

/// A read transaction over projects and what is in them.
#[cfg(feature = "projects")]
pub trait PlaceQueries:
    ProjectQueries + RecordQueries<LabelContent> + RecordQueries<MilestoneContent>
{
}
#[cfg(feature = "projects")]
impl<T> PlaceQueries for T where
    T: ProjectQueries + RecordQueries<LabelContent> + RecordQueries<MilestoneContent>
{
}

/// A write transaction over projects and what is in them.
#[cfg(feature = "projects")]
pub trait PlaceRepositories:
    PlaceQueries
    + ProjectRepository
    + RecordRepository<LabelContent>
    + RecordRepository<MilestoneContent>
{
}
#[cfg(feature = "projects")]
impl<T> PlaceRepositories for T where
    T: ProjectRepository + RecordRepository<LabelContent> + RecordRepository<MilestoneContent>
{
}

#[cfg(feature = "projects")]
store_trait! {
    /// A store of namespaces, projects, members and milestones.
    Projects in ProjectArea: write_projects = PlaceRepositories; read_projects = PlaceQueries
}

#[cfg(feature = "alert-intake")]
store_trait! {
    /// A store of alerts, their endpoints and their receipts.
    Alerts in AlertArea: write_alerts = AlertRepository; read_alerts = AlertQueries
}

#[cfg(feature = "events")]
store_trait! {
    /// A store of the feed.
    Events in EventArea: write_events = EventRepository; read_events = EventQueries
}

/// A read transaction over users, what they sign in with, and their sessions.
#[cfg(feature = "accounts")]
pub trait SignInQueries: AccountQueries + CredentialQueries + SessionQueries {}
#[cfg(feature = "accounts")]
impl<T: AccountQueries + CredentialQueries + SessionQueries> SignInQueries for T {}

/// A write transaction over users, what they sign in with, and their sessions.
#[cfg(feature = "accounts")]
pub trait SignInRepositories:
    SignInQueries + AccountRepository + CredentialRepository + SessionRepository
{
}
#[cfg(feature = "accounts")]
impl<T: AccountRepository + CredentialRepository + SessionRepository> SignInRepositories for T {}

#[cfg(feature = "accounts")]
store_trait! {
    /// A store of users, what they sign in with, and their sessions.
    SignIn in SignInArea: write_sign_in = SignInRepositories; read_sign_in = SignInQueries
}

/// A read transaction over everything that a provider of OAuth keeps.
#[cfg(feature = "oauth-provider")]
pub trait OauthQueries: ApplicationQueries + GrantQueries + SigningKeyQueries {}
#[cfg(feature = "oauth-provider")]
impl<T: ApplicationQueries + GrantQueries + SigningKeyQueries> OauthQueries for T {}

/// A write transaction over everything that a provider of OAuth keeps.
#[cfg(feature = "oauth-provider")]
pub trait OauthRepositories:
    OauthQueries + ApplicationRepository + GrantRepository + SigningKeyRepository
{
}
#[cfg(feature = "oauth-provider")]
impl<T: ApplicationRepository + GrantRepository + SigningKeyRepository> OauthRepositories for T {}

#[cfg(feature = "oauth-provider")]
store_trait! {
    /// A store of applications, grants, tokens and signing keys.
    Oauth in OauthArea: write_oauth = OauthRepositories; read_oauth = OauthQueries
}

/// A read transaction over the rows of every crate.
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
pub trait AllQueries:
    SignInQueries + PlaceQueries + AlertQueries + EventQueries + OauthQueries
{
}
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
impl<T: SignInQueries + PlaceQueries + AlertQueries + EventQueries + OauthQueries> AllQueries
    for T
{
}

/// A write transaction over the rows of every crate.
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
pub trait AllRepositories:
    AllQueries
    + SignInRepositories
    + PlaceRepositories
    + AlertRepository
    + EventRepository
    + OauthRepositories
{
}
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
impl<T> AllRepositories for T where
    T: SignInRepositories
        + PlaceRepositories
        + AlertRepository
        + EventRepository
        + OauthRepositories
{
}

#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "events",
    feature = "oauth-provider"
))]
store_trait! {
    /// A store of everything.
    Everything in EveryArea: write_all = AllRepositories; read_all = AllQueries
}
