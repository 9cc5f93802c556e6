//! Signing a user out on behalf of an application (OpenID Connect RP-Initiated Logout 1.0).
//!
//! [`check`] says whether a request makes sense and where the browser goes afterwards, and
//! [`decide`](EndSessionRequest::decide) whether the user has to be asked first. Ending the session is the host's.

mod check;
mod hint;
mod parameters;

pub use check::{EndSession, EndSessionRefusal, EndSessionRequest, check};
pub use hint::SessionHint;
pub use parameters::EndSessionParameters;
