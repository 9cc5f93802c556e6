//! Asking a user for a grant (RFC 6749, section 4.1.1; OpenID Connect Core 1.0, section 3.1.2).
//!
//! A request goes through four steps, each a function of its own, because people and pages are between them:
//! [`check`] says whether the request makes sense, [`decide`] what to do about it with this user, [`ask`] keeps it
//! while the user thinks, and [`approve`] or [`deny`] ends it.

mod check;
mod consent;
mod decide;
mod hint;
mod parameters;
mod response;

pub use check::{CheckedRequest, Refusal, check};
pub use consent::{Approval, ApproveOutcome, approve, approve_at_once, ask, deny};
pub use decide::{Decision, SignedIn, decide};
pub use hint::Hinted;
pub use parameters::{AuthorizeParameters, ParameterError, Prompt};
pub use response::{AuthorizationResponse, Delivery, response_url};
