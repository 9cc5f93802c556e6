//! Authorization endpoint: requests for a user's grant (RFC 6749, section 4.1.1; OpenID Connect Core 1.0, section
//! 3.1.2).
//!
//! A request goes through four steps, each its own function, because the user sees pages between them: [`check`]
//! validates the request, [`decide`] chooses the next step for this user, [`store_request`] stores the request until
//! the user consents, and [`approve`] or [`deny`] completes it.

mod check;
mod consent;
mod decide;
mod hint;
mod parameters;
mod response;

pub use check::{CheckedRequest, Refusal, check};
pub use consent::{
    Approval, ApproveOutcome, approve, approve_without_consent, deny, store_request,
};
pub use decide::{Decision, SignedIn, decide};
pub use hint::HintedUser;
pub use parameters::{AuthorizeParameters, ParameterError, Prompt};
pub use response::{AuthorizationResponse, ResponseDelivery, response_url};
