//! Management of applications: registration, updates, new secrets and deletion.
//!
//! All functions but registration work on the applications of one [`ApplicationOwner`](crate::ApplicationOwner): an
//! application of another owner is not found. Hosts that cache applications must invalidate their caches themselves.

mod manage;
mod validate;

pub use manage::{Registration, change, delete, find, register, renew_secret};
pub use validate::{ClientMetadata, MAX_NAME, MAX_REDIRECT_URIS, Registrar, validate};
