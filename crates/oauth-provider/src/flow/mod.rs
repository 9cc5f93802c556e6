//! Use cases, one per module, over the repository traits.
//!
//! A refusal that must be recorded, such as a replayed code, is an outcome and not an error, so that the transaction
//! commits. Each flow documents which of its outcomes write.

pub mod applications;
pub mod authenticate;
pub mod authorize;
pub mod client;
pub mod client_credentials;
pub mod end_session;
pub mod exchange;
pub mod introspect;
pub mod password;
pub mod refresh;
mod results;
pub mod revoke;
mod token_without_code;
