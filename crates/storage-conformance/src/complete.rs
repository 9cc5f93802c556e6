//! The store of the rows of every crate, for cases and wrappers that need all of them, and additional harness methods
//! for such a store.

use accounts::{AccountReadTx, AccountWriteTx};
use alert_intake::store::{
    AlertReadTx, AlertWriteTx, IncidentReadTx, IncidentWriteTx, SilenceReadTx, SilenceWriteTx,
};
use deprecations::{UseReadTx, UseWriteTx};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
use events::{EventReadTx, EventWriteTx};
use notifications::store::{NotificationReadTx, NotificationWriteTx, OnCallReadTx, OnCallWriteTx};
use oauth_provider::{OauthReadTx, OauthWriteTx};
use pipelines::store::{CiReadTx, CiWriteTx};
use projects::{ProjectReadTx, ProjectWriteTx};

#[doc(hidden)]
pub use api_conventions::ids::{ProjectId, SessionId, UserId};

storage::dyn_store! {
    /// A dyn-compatible store of the rows of every crate. Implemented for every [`Store`](storage::Store) whose
    /// transactions have the repository traits of all crates.
    pub trait EveryCrateStore {
        /// A read transaction over the rows of every crate.
        type Read: CompleteReadTx = AccountReadTx
            + ProjectReadTx
            + AlertReadTx
            + IncidentReadTx
            + SilenceReadTx
            + ErrorReadTx
            + EventReadTx
            + OauthReadTx
            + UseReadTx
            + CiReadTx
            + NotificationReadTx
            + OnCallReadTx;
        /// A write transaction over the rows of every crate.
        type Write: CompleteWriteTx = AccountWriteTx
            + ProjectWriteTx
            + AlertWriteTx
            + IncidentWriteTx
            + SilenceWriteTx
            + ErrorWriteTx
            + EventWriteTx
            + OauthWriteTx
            + UseWriteTx
            + CiWriteTx
            + NotificationWriteTx
            + OnCallWriteTx;
    }
}

/// Implements the methods of a [`Harness`](crate::Harness) that insert users, projects and sessions, for a store of the
/// rows of every crate: `inserted_rows!(|harness| &harness.store)`.
#[macro_export]
macro_rules! inserted_rows {
    (|$harness:ident| $store:expr) => {
        fn people(&self) -> [$crate::complete::UserId; 3] {
            let $harness = self;
            $crate::accounts::insert_people($store)
        }

        fn places(&self) -> [$crate::complete::ProjectId; 2] {
            let $harness = self;
            let owner = $crate::accounts::insert_place_owner($store);
            $crate::projects::insert_places($store, owner)
        }

        fn sessions(
            &self,
            people: [$crate::complete::UserId; 3],
        ) -> [$crate::complete::SessionId; 3] {
            let $harness = self;
            $crate::sign_in::insert_sessions($store, people)
        }
    };
}

/// The tests of every suite, in a module for each, for the harness of a store of the rows of every crate.
#[macro_export]
macro_rules! complete_suites {
    ($harness:ident) => {
        $crate::complete_suites! {
            $harness: store store_suite, accounts accounts_suite, sign_in sign_in_suite, oauth oauth_suite,
            projects projects_suite, alerts alerts_suite, incidents incidents_suite, silences silences_suite,
            errors errors_suite, pipelines pipelines_suite, events events_suite,
            deprecations deprecations_suite, notifications notifications_suite, on_call on_call_suite,
            cross cross_suite,
        }

        mod engine {
            use $crate::Harness as _;
            use $crate::oauth::engine::{check_authorizer_invariants, check_issuer_invariants};

            #[test]
            fn the_store_holds_the_invariants_of_oxide_auth() {
                for check in [check_authorizer_invariants, check_issuer_invariants] {
                    if let Some(harness) = super::$harness::fresh() {
                        check(&harness);
                    }
                }
            }
        }
    };
    ($harness:ident: $( $module:ident $suite:ident, )+) => { $(
        mod $module {
            $crate::$suite!(super::$harness);
        }
    )+ };
}
