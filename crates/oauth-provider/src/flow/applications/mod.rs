//! Registering applications, changing them, giving them another secret, and deleting them.
//!
//! All but registration work on the applications of one [`ApplicationOwner`](crate::ApplicationOwner): an application of
//! somebody else is not found. Anyone who caches applications learns of a change by the host's own means.

mod manage;
mod validate;

pub use manage::{Registration, change, delete, find, register, renew_secret};
pub use validate::{ClientMetadata, MAX_NAME, MAX_REDIRECT_URIS, Registrar, validate};
