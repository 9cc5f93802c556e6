//! The only module that uses `oxide_auth`: its state machine of the authorization endpoint, its grammar of scopes and
//! addresses, and an adapter of our store for its own flows.

mod authorization;
mod convert;
mod request;
mod session;

pub(crate) use authorization::run;
pub use session::StoreSession;
