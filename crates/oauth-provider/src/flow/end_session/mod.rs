//! Sign-out on behalf of an application (OpenID Connect RP-Initiated Logout 1.0).
//!
//! [`check`] validates a request and the address to which the browser goes afterwards, and
//! [`decide`](EndSessionRequest::decide) says whether the user must be asked first. The host ends the session.

mod check;
mod hint;
mod parameters;

pub use check::{EndSession, EndSessionRefusal, EndSessionRequest, check};
pub use hint::SessionHint;
pub use parameters::EndSessionParameters;
