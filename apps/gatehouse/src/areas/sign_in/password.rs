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
use crate::frame::form::{PageForm, SignInForm, StaleForm};
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::headers::POLICY_TOWARD_APPLICATIONS;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
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
    application: Option<DisplayName>,
    values: &'a SignInValues<'a>,
}

/// Values of the sign-in form, with the reason to sign in again.
struct SignInValues<'a> {
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
    let return_to = ReturnTo::of_query(&request);
    let user = visitor.user().map(|user| user.username.as_str());
    let again = query_value(&request, "again").map(|word| ReauthenticationReason::parse(&word));
    if user.is_some() && again.is_none() {
        let path = return_to.as_ref().map_or("/", ReturnTo::as_str);
        return Ok(see_other(path).finish());
    }
    let again = again.filter(|_| user.is_some());
    let login = user.filter(|_| again.is_some_and(ReauthenticationReason::is_same_user));
    let values = SignInValues {
        login: login.unwrap_or_default(),
        return_to,
        again,
        problem: None,
    };
    let page = PageRequest::new(&request, &state, &visitor);
    form(&page, StatusCode::OK, values).await
}

/// Responds with the form.
/// A waiting authorization may redirect straight to an application afterwards, so the policy of the page allows that.
async fn form(
    page: &PageRequest<'_>,
    status: StatusCode,
    values: SignInValues<'_>,
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(SiteArea::Focused, "Sign in");
    shell.user = None;
    let html = SignInPage {
        shell,
        application: application_of(page.state, page.visitor.lane(), values.return_to.as_ref())
            .await?,
        values: &values,
    }
    .render()?;
    let mut answer = page.begin(status);
    let return_to = values.return_to.as_ref();
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
    let values = form_values(|name| form.text(name));
    answer(&page, step.await?, values, &value).await
}

/// Handles a form of a session that ended.
/// A user who has signed in since, in another tab, continues; anyone else gets the form again, so that the waiting
/// request is not lost. The form itself is not processed.
async fn begin_again(
    request: &HttpRequest,
    state: &AppState,
    outdated: &StaleForm,
) -> Result<HttpResponse, PageFailure> {
    let values = form_values(|name| outdated.text(name));
    if outdated.visitor.user().is_some() && values.again.is_none() {
        let path = values.return_to.as_ref().map_or("/", ReturnTo::as_str);
        return Ok(see_other(path).finish());
    }
    let values = SignInValues {
        problem: Some(STALE),
        ..values
    };
    let page = PageRequest::new(request, state, &outdated.visitor);
    form(&page, StatusCode::FORBIDDEN, values).await
}

/// Message about a form of a session that ended.
const STALE: &str = "You were not signed in, because the form was open for too long or your browser blocks cookies. Enter your password again.";

/// Reads the values of a submitted form.
fn form_values<'f>(text: impl Fn(&str) -> &'f str) -> SignInValues<'f> {
    let again = Some(text("again")).filter(|word| !word.is_empty());
    SignInValues {
        login: text("user[login]"),
        return_to: ReturnTo::parse(text("return_to")),
        again: again.map(ReauthenticationReason::parse),
        problem: None,
    }
}

async fn answer(
    page: &PageRequest<'_>,
    step: SignInStep,
    values: SignInValues<'_>,
    value: &PlainSecret,
) -> Result<HttpResponse, PageFailure> {
    page.state.metrics.signed_in(&step);
    let return_to = values.return_to.as_ref();
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
        SignInStep::Wrong | SignInStep::Expired => "The username or password is wrong.",
    };
    let values = SignInValues {
        problem: Some(problem),
        ..values
    };
    form(page, StatusCode::UNPROCESSABLE_ENTITY, values).await
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
    form: PageForm,
) -> Result<HttpResponse, PageFailure> {
    if let Some(found) = form.visitor.any_session() {
        let (session, now) = (found.session.id, form.visitor.now());
        state.write(move |tx| sign_out(tx, session, now)).await?;
    }
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut answer = page.redirect_with_notice(SIGN_IN, Notice::SignedOut);
    crate::frame::page::answer::append_cookie(&mut answer, &cookies::clear_session(&state))?;
    Ok(answer)
}
