//! Decision about a request for a given user.

use api_conventions::ids::{SessionId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::check::{CheckedRequest, Refusal};
use super::hint::HintedUser;
use super::parameters::Prompt;
use crate::model::{Application, ClientType};
use crate::store::GrantQueries;

/// The user in whose browser the request arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct SignedIn {
    /// Signed-in user.
    pub user_id: UserId,
    /// Browser session.
    pub session_id: SessionId,
    /// Time of the user's sign-in.
    pub auth_time: Timestamp,
}

impl SignedIn {
    /// Creates a user with a browser session, signed in since `auth_time`.
    pub fn new(user_id: UserId, session_id: SessionId, auth_time: Timestamp) -> Self {
        Self {
            user_id,
            session_id,
            auth_time,
        }
    }
}

/// Next step for an authorization request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A user must sign in first.
    SignIn,
    /// The user must sign in again.
    SignInAgain,
    /// Another user must sign in: the id token hint names a user who is not the one signed in. If that does not help,
    /// send the application the refusal of [`CheckedRequest::another_user`].
    SignInAsAnother,
    /// The user must be asked for consent.
    Ask,
    /// The user has consented before, or consent is not needed.
    Approve,
    /// The application must receive this refusal.
    Refuse(Refusal),
}

const WRONG_HINT: &str = "The id_token_hint is not an id token issued to this application.";

impl CheckedRequest {
    /// Creates the refusal of a request that names another user than the one signed in (OpenID Connect Core 1.0,
    /// section 3.1.2.1).
    pub fn another_user(&self) -> Refusal {
        self.refusal(
            "login_required",
            "The signed-in user is not the one that id_token_hint names.",
        )
    }
}

/// Decides on the next step for a request. Writes nothing.
///
/// # Errors
/// Failures of the store.
pub fn decide<R: GrantQueries + ?Sized>(
    repos: &mut R,
    request: &CheckedRequest,
    user: Option<&SignedIn>,
    now: Timestamp,
) -> Result<Decision, StoreError> {
    let silent = request.prompts(Prompt::None);
    let refuse = |error, description| Decision::Refuse(request.refusal(error, description));
    if request.hinted_user == HintedUser::Invalid {
        return Ok(refuse("invalid_request", WRONG_HINT));
    }
    let Some(user) = user else {
        return Ok(if silent {
            refuse("login_required", "The user is not signed in.")
        } else {
            Decision::SignIn
        });
    };
    if must_sign_in_again(request, user, now) {
        return Ok(if silent {
            refuse("login_required", "The user must sign in again.")
        } else {
            Decision::SignInAgain
        });
    }
    if request.hinted_user.is_other_than(user.user_id) {
        return Ok(if silent {
            Decision::Refuse(request.another_user())
        } else {
            Decision::SignInAsAnother
        });
    }
    let agreed = !request.prompts(Prompt::Consent)
        && (request.application.trusted || has_agreed(repos, request, user, now)?);
    Ok(match (agreed, silent) {
        (true, _) => Decision::Approve,
        (false, true) => refuse("consent_required", "The user must give consent."),
        (false, false) => Decision::Ask,
    })
}

fn must_sign_in_again(request: &CheckedRequest, user: &SignedIn, now: Timestamp) -> bool {
    let too_old = |seconds| user.auth_time.plus_seconds(seconds) < now;
    request.prompts(Prompt::Login)
        || request.prompts(Prompt::SelectAccount)
        || request.max_age.is_some_and(too_old)
}

/// True if the user has consented before. A public application cannot prove that it is the one that the user consented
/// to, so it always needs the user's consent (RFC 6749, section 10.2).
fn has_agreed<R: GrantQueries + ?Sized>(
    repos: &mut R,
    request: &CheckedRequest,
    user: &SignedIn,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Application {
        id, client_type, ..
    } = request.application;
    if client_type == ClientType::Public {
        return Ok(false);
    }
    repos.has_consented(user.user_id, id, &request.scopes, now)
}
