//! `/users/sign_in` and `/users/sign_out` (`AUTH-03`).

use actix_web::http::StatusCode;
use actix_web::http::header::{CONTENT_SECURITY_POLICY, SET_COOKIE};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::PlainSecret;
use askama::Template;

use crate::areas::sign_in::continuation::application_of;
use crate::frame::client::browser;
use crate::frame::cookies;
use crate::frame::form::{Form, SignInForm, StaleForm};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::page::shown_name::ShownName;
use crate::frame::password_check;
use crate::frame::reauthentication::ReauthenticationReason;
use crate::frame::return_to::{ReturnTo, SECOND_FACTOR, SIGN_IN, query_value, then};
use crate::frame::visitor::Visitor;
use crate::state::AppState;
use gatehouse_core::flows::sign_in::{PasswordSignIn, SignInStep, sign_in_by_password, sign_out};
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, RateClass, get, post};

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("signInPage", SIGN_IN, show),
        post("signIn", SIGN_IN, submit).rated(RateClass::Guess),
        post("signOut", "/users/sign_out", end_session),
    ]
}

#[derive(Template)]
#[template(path = "areas/sign_in/sign_in.html")]
struct SignInPage<'a> {
    shell: Shell,
    application: Option<ShownName>,
    asked: &'a Asked<'a>,
}

/// Values of the sign-in form, with the reason to sign in again.
struct Asked<'a> {
    login: &'a str,
    return_to: Option<ReturnTo>,
    again: Option<ReauthenticationReason>,
    problem: Option<&'static str>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let return_to = ReturnTo::asked_by(&request);
    let user = visitor.user().map(|user| user.username.as_str());
    let again = query_value(&request, "again").map(|word| ReauthenticationReason::parse(&word));
    if user.is_some() && again.is_none() {
        let path = return_to.as_ref().map_or("/", ReturnTo::as_str);
        return Ok(see_other(path).finish());
    }
    let again = again.filter(|_| user.is_some());
    let login = user.filter(|_| again.is_some_and(ReauthenticationReason::is_same_user));
    let asked = Asked {
        login: login.unwrap_or_default(),
        return_to,
        again,
        problem: None,
    };
    let page = PageRequest::new(&request, &state, &visitor);
    form(&page, StatusCode::OK, asked).await
}

/// Responds with the form.
/// A waiting authorization may redirect straight to an application afterwards, so the policy of the page allows that.
async fn form(
    page: &PageRequest<'_>,
    status: StatusCode,
    asked: Asked<'_>,
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(Place::Elsewhere, "Sign in");
    shell.user = None;
    let html = SignInPage {
        shell,
        application: application_of(page.state, page.visitor.lane(), asked.return_to.as_ref())
            .await?,
        asked: &asked,
    }
    .render()?;
    let mut answer = page.begin(status);
    let return_to = asked.return_to.as_ref();
    if return_to.is_some_and(ReturnTo::leads_to_applications) {
        answer.insert_header((CONTENT_SECURITY_POLICY, POLICY_TOWARD_APPLICATIONS));
    }
    Ok(answer.body(html))
}

async fn submit(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignInForm,
) -> Result<HttpResponse, PageFailure> {
    let form = match form {
        SignInForm::Current(form) => form,
        SignInForm::Stale(form) => return begin_again(&request, &state, &form).await,
    };
    let (login, password) = (form.text("user[login]"), form.secret("user[password]"));
    let proof = password_check::check(&request, &state, &form, login, password).await?;
    let value = cookies::fresh_value(&OsRandomness);
    let sign_in_request = PasswordSignIn {
        attempt: proof.attempt,
        right: proof.right,
        browser: browser(&request, &state, &value),
        replaced: form.visitor.any_session().map(|found| found.session.id),
    };
    let rules = state.settings.sign_in.rules;
    let step = state.write(move |tx| sign_in_by_password(tx, sign_in_request.clone(), &rules));
    let page = PageRequest::new(&request, &state, &form.visitor);
    let asked = asked_by(|name| form.text(name));
    answer(&page, step.await?, asked, &value).await
}

/// Handles a form of a session that ended.
/// A user who has signed in since, in another tab, continues; anyone else gets the form again, so that the waiting
/// request is not lost. The form itself is not processed.
async fn begin_again(
    request: &HttpRequest,
    state: &AppState,
    outdated: &StaleForm,
) -> Result<HttpResponse, PageFailure> {
    let asked = asked_by(|name| outdated.text(name));
    if outdated.visitor.user().is_some() && asked.again.is_none() {
        let path = asked.return_to.as_ref().map_or("/", ReturnTo::as_str);
        return Ok(see_other(path).finish());
    }
    let asked = Asked {
        problem: Some(STALE),
        ..asked
    };
    let page = PageRequest::new(request, state, &outdated.visitor);
    form(&page, StatusCode::FORBIDDEN, asked).await
}

/// Message about a form of a session that ended.
const STALE: &str = "You were not signed in, because this form was open for too long or your browser keeps no cookies. Enter your password again.";

/// Reads the values of a submitted form.
fn asked_by<'f>(text: impl Fn(&str) -> &'f str) -> Asked<'f> {
    let again = Some(text("again")).filter(|word| !word.is_empty());
    Asked {
        login: text("user[login]"),
        return_to: ReturnTo::parse(text("return_to")),
        again: again.map(ReauthenticationReason::parse),
        problem: None,
    }
}

async fn answer(
    page: &PageRequest<'_>,
    step: SignInStep,
    asked: Asked<'_>,
    value: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    let return_to = asked.return_to.as_ref();
    let problem = match step {
        SignInStep::SignedIn => return Ok(signed_in(page.state, return_to, value)),
        SignInStep::SecondFactorMissing => {
            let address = then(SECOND_FACTOR, return_to);
            let cookie = cookies::session(page.state, value, None);
            return Ok(see_other(&address)
                .append_header((SET_COOKIE, cookie))
                .finish());
        }
        SignInStep::LockedOut { seconds } => return Err(PageFailure::locked_out(seconds)),
        SignInStep::Blocked => "This account is blocked. Ask an administrator of this server.",
        SignInStep::Wrong | SignInStep::Expired => "The username or the password is wrong.",
    };
    let asked = Asked {
        problem: Some(problem),
        ..asked
    };
    form(page, StatusCode::UNPROCESSABLE_ENTITY, asked).await
}

/// Redirects a signed-in user to their destination, and sets the cookie of the new session.
pub(super) fn signed_in(
    state: &AppState,
    return_to: Option<&ReturnTo>,
    value: &PlainSecret,
) -> HttpResponse {
    let cookie = cookies::session(state, value, Some(state.sessions.lifetime()));
    see_other(return_to.map_or("/", ReturnTo::as_str))
        .append_header((SET_COOKIE, cookie))
        .finish()
}

async fn end_session(
    request: HttpRequest,
    state: Data<AppState>,
    form: Form,
) -> Result<HttpResponse, PageFailure> {
    if let Some(found) = form.visitor.any_session() {
        let (session, now) = (found.session.id, form.visitor.now());
        state.write(move |tx| sign_out(tx, session, now)).await?;
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut answer = page.lead_to(SIGN_IN, Notice::SignedOut);
    crate::frame::page::answer::append_cookie(&mut answer, &cookies::no_session(&state))?;
    Ok(answer)
}
