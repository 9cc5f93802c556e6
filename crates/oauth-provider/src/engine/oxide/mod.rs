//! The only place that names `oxide_auth`: its state machine of the authorization endpoint, its grammar of scopes and
//! addresses, and our store as its own flows want to see it.

mod authorization;
mod convert;
mod request;
mod session;

pub(crate) use authorization::run;
pub use session::StoreSession;
