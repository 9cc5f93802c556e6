//! The repository traits of users, what they sign in with, their sessions, and tokens.

mod accounts;
mod credentials;
mod sessions;

pub use accounts::{AccountQueries, AccountRepository, InsertUser};
pub use credentials::{CredentialQueries, CredentialRepository};
pub use sessions::{SessionQueries, SessionRepository};
