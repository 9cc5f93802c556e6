//! `/users/password/new`, `/users/password` and `/users/password/edit`: a new password for people who forgot theirs.
//!
//! Opening the link changes nothing, because programs that check mail open links, too.

use accounts::TokenFilter;
use accounts::password::MIN_CHARACTERS;
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::page::OffsetPage;
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::forgotten_password::{
    find_password_reset, request_password_reset, reset_forgotten_password,
};
use storage::StoreError;
use web_conventions::operations::{Operation, RateClass, get, post};

use super::new_password::hash_new_password;
use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::{NEW_PASSWORD, OWN_TOKENS, SIGN_IN, sign_in_then};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("forgottenPasswordPage", "/users/password/new", show),
        post("requestPasswordReset", "/users/password", request_link).rated(RateClass::Guess),
        get("newPasswordPage", "/users/password/edit/{secret}", edit),
        post("resetForgottenPassword", NEW_PASSWORD, update).rated(RateClass::Guess),
    ]
}

#[derive(Template)]
#[template(path = "areas/sign_in/forgotten_password.html")]
struct ForgottenPasswordPage {
    shell: Shell,
    /// True if the server sends mail.
    sends_mail: bool,
}

#[derive(Template)]
#[template(path = "areas/sign_in/new_password.html")]
struct NewPasswordPage<'a> {
    shell: Shell,
    secret: &'a str,
    username: &'a str,
    problem: Option<String>,
    least: usize,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let mut shell = page.shell(SiteArea::Focused, "Forgotten password");
    shell.user = None;
    page.show(&ForgottenPasswordPage {
        shell,
        sends_mail: state.outgoing_mail() == OutgoingMail::On,
    })
}

/// Sends a link to the address of an account. The response does not depend on the account, and neither does its time: it does not
/// wait for the message.
async fn request_link(
    request: HttpRequest,
    state: Data<AppState>,
    form: PageForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let login = form.text("user[login]").trim().to_owned();
    if login.is_empty() || state.outgoing_mail() == OutgoingMail::Off {
        return Ok(page.redirect_with_notice("/users/password/new", Notice::NoPasswordLink));
    }
    let (state, now) = (state.clone(), form.visitor.now());
    actix_web::rt::spawn(async move {
        let vault = state.vault.clone();
        let written = state
            .write(move |tx| request_password_reset(tx, &vault, &login, NEW_PASSWORD, now))
            .await;
        let written: Result<bool, StoreError> = written;
        if let Err(error) = written {
            tracing::error!(error = %error, "cannot write the message for a forgotten password");
        }
    });
    Ok(page.redirect_with_notice(SIGN_IN, Notice::PasswordLinkSent))
}

async fn edit(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let secret = PlainSecret::new(request.match_info().get("secret").unwrap_or_default());
    respond(&page, StatusCode::OK, &secret, None).await
}

/// Responds with the form for a new password.
///
/// # Errors
/// 404 for a link that is not valid; failures of the store.
async fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    secret: &PlainSecret,
    problem: Option<String>,
) -> Result<HttpResponse, PageFailure> {
    let (vault, given, now) = (
        page.state.vault.clone(),
        PlainSecret::new(secret.reveal()),
        page.visitor.now(),
    );
    let read = page.state.database.read(page.visitor.lane(), move |tx| {
        find_password_reset(tx, &vault, &given, now)
    });
    let found: Result<_, StoreError> = read.await;
    let user = found?.ok_or_else(invalid)?;
    let mut shell = page.shell(SiteArea::Focused, "New password");
    shell.user = None;
    let template = NewPasswordPage {
        shell,
        secret: secret.reveal(),
        username: user.username.as_str(),
        problem,
        least: MIN_CHARACTERS,
    };
    page.show_with(status, &template)
}

fn invalid() -> PageFailure {
    let advice =
        "The link was used, has expired, or is incomplete. Request a new one on the sign-in page.";
    PageFailure::new(StatusCode::NOT_FOUND, "This link is not valid", advice)
}

async fn update(
    request: HttpRequest,
    state: Data<AppState>,
    form: PageForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let secret = form.secret("user[reset_password_token]");
    let problem = match reset(&page, &form, &secret).await? {
        Ok(has_tokens) => return Ok(redirect_to_sign_in(&page, has_tokens)),
        Err(problem) => problem,
    };
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    respond(&page, status, &secret, Some(problem)).await
}

/// Redirects to the sign-in page. Tokens keep working, so a user who has some comes to their list after the sign-in.
fn redirect_to_sign_in(page: &PageRequest<'_>, has_tokens: bool) -> HttpResponse {
    if has_tokens {
        page.redirect_with_notice(&sign_in_then(OWN_TOKENS), Notice::PasswordResetTokensStay)
    } else {
        page.redirect_with_notice(SIGN_IN, Notice::PasswordReset)
    }
}

/// Sets the password and returns true if the user has active tokens, or returns the reason against the password as a
/// sentence.
async fn reset(
    page: &PageRequest<'_>,
    form: &PageForm,
    secret: &PlainSecret,
) -> Result<Result<bool, String>, PageFailure> {
    let hash = match hash_new_password(page, form).await? {
        Ok(hash) => hash,
        Err(problem) => return Ok(Err(problem)),
    };
    let (vault, secret, now) = (
        page.state.vault.clone(),
        PlainSecret::new(secret.reveal()),
        page.visitor.now(),
    );
    let write = page.state.write(move |tx| {
        let Some(user) = reset_forgotten_password(tx, &vault, &secret, &hash, now)? else {
            return Ok(None);
        };
        let tokens = TokenFilter::active_personal_of(user.id, now.date());
        let tokens = tx.list_tokens(&tokens, OffsetPage::new(1, 1))?;
        Ok::<_, StoreError>(Some(!tokens.items.is_empty()))
    });
    write.await?.map(Ok).ok_or_else(invalid)
}
