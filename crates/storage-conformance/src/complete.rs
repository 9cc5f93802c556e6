//! The store of the rows of every crate, for cases and wrappers that need all of them.

use accounts::{AccountReadTx, AccountWriteTx};
use alert_intake::store::{AlertReadTx, AlertWriteTx};
use deprecations::{UseReadTx, UseWriteTx};
use error_tracking::store::{ErrorReadTx, ErrorWriteTx};
use events::{EventReadTx, EventWriteTx};
use oauth_provider::{OauthReadTx, OauthWriteTx};
use pipelines::store::{CiReadTx, CiWriteTx};
use projects::{ProjectReadTx, ProjectWriteTx};

storage::dyn_store! {
    /// A store of the rows of every crate, to be held behind `dyn`. Every [`Store`](storage::Store) is one whose transactions
    /// have the repository traits of all crates.
    pub trait CompleteStore {
        /// A read transaction over the rows of every crate.
        type Read: CompleteReadTx = AccountReadTx
            + ProjectReadTx
            + AlertReadTx
            + ErrorReadTx
            + EventReadTx
            + OauthReadTx
            + UseReadTx
            + CiReadTx;
        /// A write transaction over the rows of every crate.
        type Write: CompleteWriteTx = AccountWriteTx
            + ProjectWriteTx
            + AlertWriteTx
            + ErrorWriteTx
            + EventWriteTx
            + OauthWriteTx
            + UseWriteTx
            + CiWriteTx;
    }
}
