//! The repository traits of users, what they sign in with, their sessions, tokens, and the audit log.

mod accounts;
mod audit;
mod credentials;
mod sessions;

pub use accounts::{
    AccountQueries, AccountQueriesWrapper, AccountRepository, AccountRepositoryWrapper, InsertUser,
    UpdateUser,
};
pub use audit::{AuditQueries, AuditQueriesWrapper, AuditRepository, AuditRepositoryWrapper};
pub use credentials::{
    CredentialQueries, CredentialQueriesWrapper, CredentialRepository, CredentialRepositoryWrapper,
};
pub use sessions::{
    SessionQueries, SessionQueriesWrapper, SessionRepository, SessionRepositoryWrapper,
};

storage::dyn_store! {
    /// A store of users, what they sign in with, their sessions, tokens, and the audit log, to be held behind `dyn`. Every
    /// [`Store`](storage::Store) is one whose transactions have these repository traits.
    pub trait AccountStore {
        /// What a read closure of an [`AccountStore`] gets.
        type Read: AccountReadTx = AccountQueries
            + CredentialQueries
            + SessionQueries
            + AuditQueries;
        /// What a write closure of an [`AccountStore`] gets.
        type Write: AccountWriteTx = AccountRepository
            + CredentialRepository
            + SessionRepository
            + AuditRepository;
    }
}
