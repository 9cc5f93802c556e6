//! Repository traits of users, credentials, sessions, tokens, invitations, and the audit log.

mod accounts;
mod audit;
mod credentials;
mod invitations;
mod sessions;
mod statuses;

pub use accounts::{
    AccountQueries, AccountQueriesWrapper, AccountRepository, AccountRepositoryWrapper, InsertUser,
    UpdateUser,
};
pub use audit::{AuditQueries, AuditQueriesWrapper, AuditRepository, AuditRepositoryWrapper};
pub use credentials::{
    CredentialQueries, CredentialQueriesWrapper, CredentialRepository, CredentialRepositoryWrapper,
};
pub use invitations::{
    InvitationQueries, InvitationQueriesWrapper, InvitationRepository, InvitationRepositoryWrapper,
};
pub use sessions::{
    SessionQueries, SessionQueriesWrapper, SessionRepository, SessionRepositoryWrapper,
};
pub use statuses::{
    StatusQueries, StatusQueriesWrapper, StatusRepository, StatusRepositoryWrapper,
};

storage::dyn_store! {
    /// A store of users, credentials, sessions, tokens, and the audit log, for use behind `dyn`. Every
    /// [`Store`](storage::Store) whose transactions have these repository traits implements it.
    pub trait AccountStore {
        /// Transaction that a read closure of an [`AccountStore`] gets.
        type Read: AccountReadTx = AccountQueries
            + CredentialQueries
            + SessionQueries
            + AuditQueries
            + InvitationQueries
            + StatusQueries;
        /// Transaction that a write closure of an [`AccountStore`] gets.
        type Write: AccountWriteTx = AccountRepository
            + CredentialRepository
            + SessionRepository
            + AuditRepository
            + InvitationRepository
            + StatusRepository;
    }
}
