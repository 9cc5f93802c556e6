//! Accounts: users, their credentials and sessions, and the tokens that act for them.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Modules
//! * [`model`]: users and access tokens with their valid states.
//! * [`password`]: the slow hash of a password; never run it inside a transaction.
//! * [`flow`]: one use case per module.
//! * [`store`]: the repository traits that an adapter implements.
//! * [`wire`]: the JSON of a user.
//!
//! # Invariants
//! * A token is stored as a digest; the token itself is shown once and never again.
//! * The authentication epoch orders all revocations. A host that caches what it read raises the epoch once for each
//!   transaction that revoked something, as the last step of that transaction, because all revocations wait for each
//!   other there: a transaction that raised the epoch and then waited for another row could deadlock. The flows
//!   therefore leave it to the surrounding code: see [`AccountRepository::raise_auth_epoch`].
//! * Usernames are unique, ignoring case.

pub mod flow;
pub mod model;
pub mod password;
pub mod store;
pub mod wire;

pub use model::{
    AccessToken, AuditDetails, AuditEntity, AuditEntityKind, AuditEntry, AuditEventName,
    AuditFilter, AuditImpersonation, AuditOrigin, AuditScope, AuditTarget, Availability,
    Credentials, DeployToken, DeployTokenFilter, EmailError, FailureKey, FailurePolicy, Failures,
    Invitation, InvitedRole, NewAuditEntry, NewDeployToken, NewInvitation, NewSession, NewToken,
    NewUser, RecoveryCode, Revocation, RevocationSubject, SecondFactor, Session, SessionLifetime,
    SessionStage, StateChange, TimeSecret, TokenFilter, TokenKind, TokenPlace, TokenState,
    TokenValidity, User, UserActivity, UserChange, UserDeletion, UserFilter, UserKind, UserOrder,
    UserState, UserStatus, Username, check_email,
};
pub use store::{
    AccountQueries, AccountQueriesWrapper, AccountReadTx, AccountRepository,
    AccountRepositoryWrapper, AccountStore, AccountWriteTx, AuditQueries, AuditQueriesWrapper,
    AuditRepository, AuditRepositoryWrapper, CredentialQueries, CredentialQueriesWrapper,
    CredentialRepository, CredentialRepositoryWrapper, InsertUser, InvitationQueries,
    InvitationQueriesWrapper, InvitationRepository, InvitationRepositoryWrapper, SessionQueries,
    SessionQueriesWrapper, SessionRepository, SessionRepositoryWrapper, StatusQueries,
    StatusQueriesWrapper, StatusRepository, StatusRepositoryWrapper, UpdateUser,
};
