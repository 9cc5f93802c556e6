//! A request for authorization, from its parameters to what the browser is to do next.

use accounts::User;
use api_conventions::ids::UserId;
use api_conventions::secret::PlainSecret;
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::{
    Approval, ApproveOutcome, AuthorizeParameters, CheckedRequest, Decision, Delivery, Hinted,
    Prompt, Refusal, SignedIn, approve, approve_at_once, ask, check, decide, deny,
};
use oauth_provider::model::{CODE_PREFIX, HANDLE_PREFIX};
use storage::{Lane, Store as _, StoreError};

use crate::frame::reauthentication::ReauthenticationReason;
use crate::state::AppState;
use gatehouse_core::auth::sessions;
use gatehouse_core::flows::sign_in::is_signed_in;
use gatehouse_core::randomness::OsRandomness;
use gatehouse_core::signing_keys::KeyRingError;

/// What the browser is to do next.
#[derive(Debug)]
pub enum Next {
    /// Show the sign-in page, and come back.
    SignIn,
    /// The same for somebody who is signed in, for this reason.
    SignInAgain(ReauthenticationReason),
    /// The same for somebody else than the one who is signed in.
    SignInAsAnother,
    /// Ask the user, over the stored request with this handle.
    Ask(Box<Question>),
    /// Send the browser to the application with the response.
    Respond(Delivery),
    /// Show the code, because the application cannot be gone to.
    ShowCode(PlainSecret),
    /// Show an error, because it is not proven who asks.
    Refuse {
        /// The code of the error.
        error: &'static str,
        /// What is wrong.
        description: &'static str,
    },
}

/// What the user is asked.
#[derive(Debug)]
pub struct Question {
    /// The request.
    pub request: CheckedRequest,
    /// The username of who registered the application.
    pub owner: Option<String>,
    /// What the answer carries.
    pub handle: PlainSecret,
}

/// The user in whose browser a request arrived, as the provider knows users.
pub fn asked(found: &sessions::SignedIn) -> SignedIn {
    SignedIn::new(
        found.user.id,
        found.session.id,
        found.session.authenticated_at,
    )
}

/// A request, as a browser brought it.
#[derive(Debug)]
pub struct Arrival {
    /// What the application sent.
    pub parameters: AuthorizeParameters,
    /// Who is signed in.
    pub user: Option<SignedIn>,
    /// Whether that is an administrator.
    pub is_admin: bool,
    /// Whether somebody has just signed in because the application means another user.
    pub has_changed_user: bool,
    /// The lane in which things are looked up for it.
    pub lane: Lane,
    /// Now.
    pub now: Timestamp,
}

/// Judges a request and does what can be done without the user.
///
/// # Errors
/// Failures of the store, and of the keys when there is a hint to check.
pub async fn begin(state: &AppState, arrival: Arrival) -> Result<Next, KeyRingError> {
    let (user, now, changed) = (arrival.user, arrival.now, arrival.has_changed_user);
    let (decision, request) = match decide_arrival(state, arrival).await? {
        Ok(decided) => decided,
        Err(refusal) => return Ok(refused(state, &refusal)),
    };
    Ok(match (decision, user) {
        (Decision::Refuse(refusal), _) => refused(state, &refusal),
        (Decision::SignInAgain, _) => Next::SignInAgain(reauthentication_reason(&request)),
        (Decision::SignInAsAnother, _) if changed => refused(state, &request.another_user()),
        (Decision::SignInAsAnother, _) => Next::SignInAsAnother,
        (Decision::SignIn, _) | (_, None) => Next::SignIn,
        (Decision::Ask, Some(user)) => question(state, request, user, now).await?,
        (Decision::Approve, Some(user)) => at_once(state, request, user, now).await?,
    })
}

/// What to do about a request, or why it makes no sense.
async fn decide_arrival(
    state: &AppState,
    arrival: Arrival,
) -> Result<Result<(Decision, CheckedRequest), Refusal>, KeyRingError> {
    let Arrival {
        parameters,
        user,
        is_admin,
        lane,
        now,
        ..
    } = arrival;
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
            request.hinted = Hinted::of(hint, &request.application.uid);
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

/// Why the user of a request must sign in again: a parameter of the application, or else the age of the session.
fn reauthentication_reason(request: &CheckedRequest) -> ReauthenticationReason {
    if request.prompts(Prompt::SelectAccount) {
        ReauthenticationReason::ChooseAccount
    } else if request.prompts(Prompt::Login) {
        ReauthenticationReason::Requested
    } else {
        ReauthenticationReason::MaxAgeExceeded
    }
}

fn refused(state: &AppState, refusal: &Refusal) -> Next {
    match refusal.response() {
        Some((answer, error, description)) if !answer.is_out_of_band() => {
            Next::Respond(answer.with_error(error, description, &state.base_url))
        }
        _ => Next::Refuse {
            error: refusal.error(),
            description: refusal.description(),
        },
    }
}

async fn question(
    state: &AppState,
    request: CheckedRequest,
    user: SignedIn,
    now: Timestamp,
) -> Result<Next, StoreError> {
    let handle = PlainSecret::generate_dated(HANDLE_PREFIX, &OsRandomness, now);
    let (digest, policy) = (handle.digest(), state.settings.oauth.policy.clone());
    let kept = request.clone();
    let lifetime = state.sessions.lifetime();
    let asked = state.database.write(move |tx| {
        if !is_signed_in(tx, &user, lifetime, now)? {
            return Ok(None);
        }
        ask(tx, &kept, &user, &digest, now, &policy)?;
        let owner: Option<UserId> = kept.application.owner_id;
        owner.map_or(Ok(None), |id| tx.find_user(id)).map(Some)
    });
    let asked: Result<Option<Option<User>>, StoreError> = asked.await;
    let Some(owner) = asked? else {
        return Ok(Next::SignIn);
    };
    let owner = owner.map(|owner| owner.username.as_str().to_owned());
    Ok(Next::Ask(Box::new(Question {
        request,
        owner,
        handle,
    })))
}

async fn at_once(
    state: &AppState,
    request: CheckedRequest,
    user: SignedIn,
    now: Timestamp,
) -> Result<Next, StoreError> {
    let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
    let (digest, policy) = (code.digest(), state.settings.oauth.policy.clone());
    let lifetime = state.sessions.lifetime();
    let approved = state.database.write(move |tx| {
        if is_signed_in(tx, &user, lifetime, now)? {
            approve_at_once(tx, &request, &user, digest, now, &policy).map(Some)
        } else {
            Ok(None)
        }
    });
    let approved: Result<_, StoreError> = approved.await;
    let Some(answer) = approved? else {
        return Ok(Next::SignIn);
    };
    Ok(if answer.is_out_of_band() {
        Next::ShowCode(code)
    } else {
        Next::Respond(answer.with_code(code.reveal(), &state.base_url))
    })
}

/// The user says yes. `None` when there is nothing to say yes to any more.
///
/// # Errors
/// Failures of the store.
pub async fn approved(
    state: &AppState,
    handle: &PlainSecret,
    user: SignedIn,
    now: Timestamp,
) -> Result<Option<Next>, StoreError> {
    let code = PlainSecret::generate_dated(CODE_PREFIX, &OsRandomness, now);
    let approval = Approval::new(handle.digest(), code.digest(), user, now);
    let policy = state.settings.oauth.policy.clone();
    let lifetime = state.sessions.lifetime();
    let outcome = state.database.write(move |tx| {
        if is_signed_in(tx, &user, lifetime, now)? {
            approve(tx, &approval, &policy)
        } else {
            Ok(ApproveOutcome::Gone)
        }
    });
    let response = outcome.await?.into_result().ok();
    Ok(response.map(|(response, _)| {
        if response.is_out_of_band() {
            Next::ShowCode(code)
        } else {
            Next::Respond(response.with_code(code.reveal(), &state.base_url))
        }
    }))
}

/// What the application is told when the user says no (RFC 6749, section 4.1.2.1).
const DENIED: (&str, &str) = (
    "access_denied",
    "The resource owner or authorization server denied the request.",
);

/// The user says no. `None` when there is nothing to say no to any more.
///
/// # Errors
/// Failures of the store.
pub async fn denied(
    state: &AppState,
    handle: &PlainSecret,
    user: SignedIn,
    now: Timestamp,
) -> Result<Option<Next>, StoreError> {
    let digest = handle.digest();
    let outcome = state
        .database
        .write(move |tx| deny(tx, &digest, &user, now));
    let (error, description) = DENIED;
    let response = outcome.await?.into_result().ok();
    Ok(response.map(|(response, _)| {
        if response.is_out_of_band() {
            Next::Refuse { error, description }
        } else {
            Next::Respond(response.with_error(error, description, &state.base_url))
        }
    }))
}
