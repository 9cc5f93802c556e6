//! The only place that names `oxide_auth`: its grammar of scopes and addresses, and its state machine of the
//! authorization endpoint, which says in which order a request is checked and when an error may be redirected.
//!
//! What is not used, and why: its flows for codes, refresh tokens and resources, because they take a verifier
//! without a challenge, cannot recognise a code that was replayed, read client credentials from one place only, and
//! know no family of tokens; its stores, because what must happen once is a conditional write of ours.

mod authorization;
mod convert;
mod request;
mod session;

pub(crate) use authorization::{EngineError, Provider, run};
pub use session::StoreSession;
