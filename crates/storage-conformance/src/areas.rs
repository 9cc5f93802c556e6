//! Areas of the contract: the store of each one behind `dyn`, and the harness as its cases see it.
//!
//! Cases know no adapter, so they are compiled once, in this crate, and not again for every harness of every test.

use api_conventions::ids::{ProjectId, SessionId, UserId};

use crate::Harness;

/// The dyn-compatible form of a [`Harness`], with the adapter behind `S`.
///
/// Implemented for every harness whose store serves the area. An adapter implements only [`Harness`], which documents
/// the methods.
pub trait DynHarness<S: ?Sized> {
    /// See [`Harness::store`].
    fn store(&self) -> &S;

    /// See [`Harness::reopen`].
    fn reopen(&mut self);

    /// See [`Harness::open_again`].
    fn open_again(&self) -> Box<S>;

    /// See [`Harness::people`].
    fn people(&self) -> [UserId; 3];

    /// See [`Harness::places`].
    fn places(&self) -> [ProjectId; 2];

    /// See [`Harness::sessions`].
    fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3];

    /// See [`Harness::dangling_rows`].
    fn dangling_rows(&self) -> Vec<String>;
    /// See [`Harness::shortens_failures`].
    fn shortens_failures(&self) -> bool;
}

/// A harness as the cases of an area see it, such as `AreaHarness<Alerts>`.
pub type AreaHarness<S> = dyn DynHarness<S>;

/// A harness that runs the cases of `V`: an [`AreaHarness`], or the harness itself for the suite of the store, whose
/// grouped work needs the adapter's type.
pub trait HarnessFor<V: ?Sized>: Harness {
    /// The harness as the cases of `V` see it.
    fn view(&mut self) -> &mut V;
}

impl<H: Harness> HarnessFor<Self> for H {
    fn view(&mut self) -> &mut Self {
        self
    }
}

impl<H: Harness + DynHarness<S>, S: ?Sized + 'static> HarnessFor<AreaHarness<S>> for H {
    fn view(&mut self) -> &mut AreaHarness<S> {
        self
    }
}

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
/// Defines an area by its store, a trait of [`dyn_store!`](storage::dyn_store).
macro_rules! area {
    ($(#[$doc:meta])* $area:ident: $store:path) => {
        $(#[$doc])*
        pub type $area = dyn $store;

        impl<H: Harness> DynHarness<$area> for H
        where
            H::Store: $store,
        {
            fn store(&self) -> &$area {
                Harness::store(self)
            }

            fn reopen(&mut self) {
                Harness::reopen(self);
            }

            fn open_again(&self) -> Box<$area> {
                Box::new(Harness::open_again(self))
            }

            fn people(&self) -> [UserId; 3] {
                Harness::people(self)
            }

            fn places(&self) -> [ProjectId; 2] {
                Harness::places(self)
            }

            fn sessions(&self, people: [UserId; 3]) -> [SessionId; 3] {
                Harness::sessions(self, people)
            }

            fn dangling_rows(&self) -> Vec<String> {
                Harness::dangling_rows(self)
            }

            fn shortens_failures(&self) -> bool {
                Harness::shortens_failures(self)
            }
        }
    };
}

#[cfg(feature = "accounts")]
area! {
    /// A store of users, their credentials, sessions and tokens, and the audit log.
    Accounts: accounts::AccountStore
}

#[cfg(feature = "projects")]
area! {
    /// A store of namespaces, projects, members and the contents of projects.
    Projects: projects::ProjectStore
}

#[cfg(feature = "alert-intake")]
area! {
    /// A store of alerts, their endpoints and their receipts.
    Alerts: alert_intake::store::AlertStore
}

#[cfg(feature = "alert-intake")]
area! {
    /// A store of alerts and their incidents.
    Incidents: alert_intake::store::IncidentStore
}

#[cfg(feature = "alert-intake")]
area! {
    /// A store of alerts and silences.
    Silences: alert_intake::store::SilenceStore
}

#[cfg(feature = "error-tracking")]
area! {
    /// A store of errors, their events, and the settings of error tracking.
    Errors: error_tracking::store::ErrorStore
}

#[cfg(feature = "pipelines")]
area! {
    /// A store of environments, deployments, pipelines and jobs.
    Reports: pipelines::store::CiStore
}

#[cfg(feature = "notifications")]
area! {
    /// A store of notification channels and the outbox of their messages.
    Notifications: notifications::store::NotificationStore
}

#[cfg(feature = "notifications")]
area! {
    /// A store of on-call schedules and their overrides.
    OnCall: notifications::store::OnCallStore
}

#[cfg(feature = "events")]
area! {
    /// A store of the feed.
    Events: events::EventStore
}

#[cfg(feature = "deprecations")]
area! {
    /// A store of uses of deprecated features.
    Uses: deprecations::UseStore
}

#[cfg(feature = "oauth-provider")]
area! {
    /// A store of applications, grants, tokens and signing keys.
    Oauth: oauth_provider::OauthStore
}

#[cfg(all(
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
area! {
    /// A store of the rows of every crate.
    Everything: crate::complete::EveryCrateStore
}
