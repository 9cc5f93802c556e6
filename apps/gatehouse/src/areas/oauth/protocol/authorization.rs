//! Authorization requests, from their parameters to the next step of the browser.

use accounts::User;
use api_conventions::ids::UserId;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::{
    Approval, ApproveOutcome, AuthorizeParameters, CheckedRequest, Decision, HintedUser, Prompt,
    Refusal, ResponseDelivery, SignedIn, check, decide, deny, store_request,
};
use oauth_provider::model::{CODE_PREFIX, HANDLE_PREFIX};
use storage::{Lane, Store as _, StoreError};

use crate::frame::reauthentication::ReauthenticationReason;
use crate::state::AppState;
use gatehouse_core::auth::sessions;
use gatehouse_core::flows::oauth::{authorize_application, authorize_without_consent};
use gatehouse_core::flows::sign_in::is_signed_in;
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::signing_keys::KeyRingError;

/// Next step of the browser.
#[derive(Debug)]
pub enum NextStep {
    /// Show the sign-in page, then return.
    SignIn,
    /// Ask the signed-in user to sign in again, for this reason.
    SignInAgain(ReauthenticationReason),
    /// Ask for a sign-in with another account.
    SignInAsAnother,
    /// Ask the user for consent to the stored request.
    Ask(Box<ConsentRequest>),
    /// Send the response to the application.
    Respond(ResponseDelivery),
    /// Show the code, because the application has no address to redirect to.
    ShowCode(PlainSecret),
    /// Show an error, because the application is not authenticated.
    Refuse {
        /// Error code.
        error: &'static str,
        /// Description of the error.
        description: &'static str,
    },
}

/// Consent to ask the user for.
#[derive(Debug)]
pub struct ConsentRequest {
    /// Validated request.
    pub request: CheckedRequest,
    /// Username of the application's owner.
    pub owner: Option<String>,
    /// Handle of the stored request, which the decision carries.
    pub handle: PlainSecret,
}

/// Converts a signed-in user to the provider's type.
pub fn to_signed_in(found: &sessions::LiveSession) -> SignedIn {
    SignedIn::new(
        found.user.id,
        found.session.id,
        found.session.authenticated_at,
    )
}

/// Authorization request of a browser.
#[derive(Debug)]
pub struct BrowserAuthorization {
    /// Parameters of the application.
    pub parameters: AuthorizeParameters,
    /// Signed-in user.
    pub user: Option<SignedIn>,
    /// True if that user is an administrator.
    pub is_admin: bool,
    /// True if the user just signed in because the application requires another account.
    pub has_changed_user: bool,
    /// Lane of its database reads.
    pub lane: Lane,
    /// Current time.
    pub now: Timestamp,
}

/// Validates a request and completes it as far as possible without the user.
///
/// # Errors
/// Failures of the store, and of the keys if there is a hint to verify.
pub async fn begin(
    state: &AppState,
    authorization: BrowserAuthorization,
) -> Result<NextStep, KeyRingError> {
    let (user, now, changed) = (
        authorization.user,
        authorization.now,
        authorization.has_changed_user,
    );
    let (decision, request) = match decide_authorization(state, authorization).await? {
        Ok(decided) => decided,
        Err(refusal) => return Ok(refused(state, &refusal)),
    };
    Ok(match (decision, user) {
        (Decision::Refuse(refusal), _) => refused(state, &refusal),
        (Decision::SignInAgain, _) => NextStep::SignInAgain(reauthentication_reason(&request)),
        (Decision::SignInAsAnother, _) if changed => refused(state, &request.another_user()),
        (Decision::SignInAsAnother, _) => NextStep::SignInAsAnother,
        (Decision::SignIn, _) | (_, None) => NextStep::SignIn,
        (Decision::Ask, Some(user)) => ask_for_consent(state, request, user, now).await?,
        (Decision::Approve, Some(user)) => approve_immediately(state, request, user, now).await?,
    })
}

/// Decides about a request, or returns the reason to refuse it.
async fn decide_authorization(
    state: &AppState,
    authorization: BrowserAuthorization,
) -> Result<Result<(Decision, CheckedRequest), Refusal>, KeyRingError> {
    let BrowserAuthorization {
        parameters,
        user,
        is_admin,
        lane,
        now,
        ..
    } = authorization;
    let hint = match &parameters.id_token_hint {
        Some(token) => Some(state.keys.check_hint(token, &state.base_url, now).await?),
        None => None,
    };
    let policy = state.settings.oauth.policy.clone();
    let decided = state.database.read(lane, move |tx| {
        let mut request = match check(tx, &parameters, &policy)? {
            Ok(request) => request,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if let Some(hint) = hint {
            let hint = hint.as_ref().map_err(|error| *error);
            request.hinted_user = HintedUser::of(hint, &request.application.uid);
        }
        if user.is_some() && !is_admin {
            request = match request.without_administration(&policy.scopes) {
                Ok(request) => request,
                Err(refusal) => return Ok(Err(refusal)),
            };
        }
        let decision = decide(tx, &request, user.as_ref(), now)?;
        Ok::<_, StoreError>(Ok((decision, request)))
    });
    Ok(decided.await?)
}

/// Reason for which the user must sign in again: a parameter of the application, or else the age of the session.
fn reauthentication_reason(request: &CheckedRequest) -> ReauthenticationReason {
    if request.prompts(Prompt::SelectAccount) {
        ReauthenticationReason::ChooseAccount
    } else if request.prompts(Prompt::Login) {
        ReauthenticationReason::Requested
    } else {
        ReauthenticationReason::MaxAgeExceeded
    }
}

fn refused(state: &AppState, refusal: &Refusal) -> NextStep {
    match refusal.response() {
        Some((answer, error, description)) if !answer.is_out_of_band() => {
            NextStep::Respond(answer.with_error(error, description, &state.base_url))
        }
        _ => NextStep::Refuse {
            error: refusal.error(),
            description: refusal.description(),
        },
    }
}

async fn ask_for_consent(
    state: &AppState,
    request: CheckedRequest,
    user: SignedIn,
    now: Timestamp,
) -> Result<NextStep, StoreError> {
    let handle = PlainSecret::generate_dated(HANDLE_PREFIX, &OsRandomness, now);
    let (digest, policy) = (handle.digest(), state.settings.oauth.policy.clone());
    let kept = request.clone();
    let lifetime = state.sessions.lifetime();
    let stored = state.database.write(move |tx| {
        if !is_signed_in(tx, &user, lifetime, now)? {
            return Ok(None);
        }
        store_request(tx, &kept, &user, &digest, now, &policy)?;
        let owner: Option<UserId> = kept.application.owner_id;
        owner.map_or(Ok(None), |id| tx.find_user(id)).map(Some)
    });
    let stored: Result<Option<Option<User>>, StoreError> = stored.await;
    let Some(owner) = stored? else {
        return Ok(NextStep::SignIn);
    };
    let owner = owner.map(|owner| owner.username.as_str().to_owned());
    Ok(NextStep::Ask(Box::new(ConsentRequest {
        request,
        owner,
        handle,
    })))
}

async fn approve_immediately(
    state: &AppState,
    request: CheckedRequest,
    user: SignedIn,
    now: Timestamp,
) -> Result<NextStep, StoreError> {
    let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
    let (digest, policy) = (code.digest(), state.settings.oauth.policy.clone());
    let lifetime = state.sessions.lifetime();
    let approved = state.database.write(move |tx| {
        if is_signed_in(tx, &user, lifetime, now)? {
            authorize_without_consent(tx, &request, &user, digest, now, &policy).map(Some)
        } else {
            Ok(None)
        }
    });
    let approved: Result<_, StoreError> = approved.await;
    let Some(answer) = approved? else {
        return Ok(NextStep::SignIn);
    };
    Ok(if answer.is_out_of_band() {
        NextStep::ShowCode(code)
    } else {
        NextStep::Respond(answer.with_code(code.reveal(), &state.base_url))
    })
}

/// Approves a request for the user.
/// `None` if the request no longer exists.
///
/// # Errors
/// Failures of the store.
pub async fn approve_request(
    state: &AppState,
    handle: &PlainSecret,
    user: SignedIn,
    now: Timestamp,
) -> Result<Option<NextStep>, StoreError> {
    let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
    let approval = Approval::new(handle.digest(), code.digest(), user, now);
    let policy = state.settings.oauth.policy.clone();
    let lifetime = state.sessions.lifetime();
    let outcome = state.database.write(move |tx| {
        if is_signed_in(tx, &user, lifetime, now)? {
            authorize_application(tx, &approval, &policy)
        } else {
            Ok(ApproveOutcome::NotFound)
        }
    });
    let response = outcome.await?.into_result().ok();
    Ok(response.map(|(response, _)| {
        if response.is_out_of_band() {
            NextStep::ShowCode(code)
        } else {
            NextStep::Respond(response.with_code(code.reveal(), &state.base_url))
        }
    }))
}

/// Error for the application after the user denies the request (RFC 6749, section 4.1.2.1).
const DENIED: (&str, &str) = (
    "access_denied",
    "The resource owner or authorization server denied the request.",
);

/// Denies a request for the user.
/// `None` if the request no longer exists.
///
/// # Errors
/// Failures of the store.
pub async fn deny_request(
    state: &AppState,
    handle: &PlainSecret,
    user: SignedIn,
    now: Timestamp,
) -> Result<Option<NextStep>, StoreError> {
    let digest = handle.digest();
    let outcome = state
        .database
        .write(move |tx| deny(tx, &digest, &user, now));
    let (error, description) = DENIED;
    let response = outcome.await?.into_result().ok();
    Ok(response.map(|(response, _)| {
        if response.is_out_of_band() {
            NextStep::Refuse { error, description }
        } else {
            NextStep::Respond(response.with_error(error, description, &state.base_url))
        }
    }))
}
