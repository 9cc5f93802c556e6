//! `/users/sign_in/second_factor`: the step after the password for users with a second factor.

use accounts::flow::second_factor::Proof;
use accounts::{Credentials, RecoveryCode, TimeSecret};
use actix_web::http::StatusCode;
use actix_web::http::header::CONTENT_SECURITY_POLICY;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use askama::Template;
use storage::StoreError;

use crate::areas::sign_in::continuation::application_of;
use crate::areas::sign_in::password::signed_in;
use crate::frame::client::browser;
use crate::frame::cookies;
use crate::frame::form::{PageForm, SignInForm};
use crate::frame::lane;
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::{ReturnTo, SECOND_FACTOR, SIGN_IN, then};
use crate::frame::second_factor::{is_one_time_password, sealing_context, unreadable};
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use gatehouse_core::auth::sessions::LiveSession;
use gatehouse_core::flows::sign_in::{SecondFactorSignIn, SignInStep, sign_in_by_second_factor};
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, RateClass, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("secondFactorPage", SECOND_FACTOR, show),
        post("enterSecondFactor", SECOND_FACTOR, enter).rated(RateClass::Guess),
    ]
}

#[derive(Template)]
#[template(path = "areas/sign_in/second_factor.html")]
struct SecondFactorPage<'a> {
    shell: Shell,
    application: Option<DisplayName>,
    return_to: Option<&'a str>,
    problem: Option<&'static str>,
}

/// Message about a wrong code.
const WRONG: &str = "The code is wrong or was already used. Wait for the next one and try again.";
/// Message about a form of a session that ended.
const STALE: &str = "This form was open for too long. Enter your code again.";

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let return_to = ReturnTo::of_query(&request);
    pending_session(&visitor, return_to.as_ref())?;
    let page = PageRequest::new(&request, &state, &visitor);
    form(&page, StatusCode::OK, return_to.as_ref(), None).await
}

/// Returns the session of a user who has entered the password; others have to start over.
fn pending_session<'v>(
    visitor: &'v Visitor,
    return_to: Option<&ReturnTo>,
) -> Result<&'v LiveSession, PageFailure> {
    let begin = || PageFailure::sign_in_first(then(SIGN_IN, return_to));
    visitor.pending_session().ok_or_else(begin)
}

async fn form(
    page: &PageRequest<'_>,
    status: StatusCode,
    return_to: Option<&ReturnTo>,
    problem: Option<&'static str>,
) -> Result<HttpResponse, PageFailure> {
    let template = SecondFactorPage {
        shell: page.shell(SiteArea::Focused, "Two-factor authentication"),
        application: application_of(page.state, page.visitor.lane(), return_to).await?,
        return_to: return_to.map(ReturnTo::as_str),
        problem,
    };
    let html = template.render()?;
    let mut answer = page.begin(status);
    if return_to.is_some_and(ReturnTo::leads_to_applications) {
        answer.insert_header((CONTENT_SECURITY_POLICY, POLICY_TOWARD_APPLICATIONS));
    }
    Ok(answer.body(html))
}

async fn enter(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignInForm,
) -> Result<HttpResponse, PageFailure> {
    let form = match form {
        SignInForm::Current(form) => form,
        SignInForm::Stale(form) => {
            let return_to = ReturnTo::parse(form.text("return_to"));
            let page = PageRequest::new(&request, &state, &form.visitor);
            return begin_again(&page, return_to.as_ref()).await;
        }
    };
    check_code(&request, &state, &form).await
}

/// Checks the code in a form of a live session, and signs the user in.
async fn check_code(
    request: &HttpRequest,
    state: &AppState,
    form: &PageForm,
) -> Result<HttpResponse, PageFailure> {
    let return_to = ReturnTo::parse(form.text("return_to"));
    let found = pending_session(&form.visitor, return_to.as_ref())?;
    let (typed, now) = (form.text("user[otp_attempt]"), form.visitor.now());
    let value = cookies::fresh_value(&OsRandomness);
    let sign_in_request = SecondFactorSignIn {
        pending_session: found.session.clone(),
        proof: proof(state, found.user.id, typed, now).await?,
        browser: browser(request, state, &value),
        now,
    };
    let rules = state.settings.sign_in.rules;
    let step = state.write(move |tx| sign_in_by_second_factor(tx, &sign_in_request, &rules));
    let step = step.await?;
    state.metrics.signed_in(&step);
    let page = PageRequest::new(request, state, &form.visitor);
    match step {
        SignInStep::SignedIn => Ok(signed_in(state, return_to.as_ref(), &value)),
        step => refuse(&page, step, return_to.as_ref()).await,
    }
}

/// Handles a form of a session that ended.
/// A user who has signed in since continues to the destination; while the password step is still valid, the form is
/// shown again; anyone else starts over. The code in the form is ignored.
async fn begin_again(
    page: &PageRequest<'_>,
    return_to: Option<&ReturnTo>,
) -> Result<HttpResponse, PageFailure> {
    if page.visitor.user().is_some() {
        return Ok(see_other(return_to.map_or("/", ReturnTo::as_str)).finish());
    }
    pending_session(page.visitor, return_to)?;
    form(page, StatusCode::FORBIDDEN, return_to, Some(STALE)).await
}

async fn refuse(
    page: &PageRequest<'_>,
    step: SignInStep,
    return_to: Option<&ReturnTo>,
) -> Result<HttpResponse, PageFailure> {
    match step {
        SignInStep::LockedOut { seconds } => Err(PageFailure::locked_out(seconds)),
        SignInStep::Wrong => {
            form(
                page,
                StatusCode::UNPROCESSABLE_ENTITY,
                return_to,
                Some(WRONG),
            )
            .await
        }
        _ => Err(PageFailure::sign_in_first(then(SIGN_IN, return_to))),
    }
}

/// Parses the input: six digits are a one-time password, anything else may be a recovery code.
async fn proof(
    state: &AppState,
    user_id: UserId,
    typed: &str,
    now: Timestamp,
) -> Result<Proof, PageFailure> {
    if !is_one_time_password(typed) {
        let code = RecoveryCode::parse(typed);
        return Ok(code.map_or(Proof::Nothing, |code| Proof::RecoveryCode(code.digest())));
    }
    let found = state.database.read(lane::of_user(user_id), move |tx| {
        tx.find_credentials_of(user_id)
    });
    let found: Result<Option<Credentials>, StoreError> = found.await;
    let Some(factor) = found?.and_then(|found| found.second_factor) else {
        return Ok(Proof::Nothing);
    };
    let opened = state.vault.open(&sealing_context(user_id), &factor.sealed);
    let secret = opened.map(TimeSecret::from_bytes).map_err(unreadable)?;
    let step = secret.matching_step(typed, factor.last_step, now);
    Ok(step.map_or(Proof::Nothing, |step| Proof::TimeStep {
        step,
        sealed: factor.sealed,
    }))
}
