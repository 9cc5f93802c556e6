//! `/invitations/{secret}` and `/invitations`: registration with an invitation.
//!
//! Opening the link changes nothing, because programs that check mail open links, too: only the form uses it up.

use accounts::flow::guess::{count_wrong_invitation, invitation_lockout_seconds};
use accounts::password::MIN_CHARACTERS;
use accounts::{Invitation, NewUser, UserKind, Username, check_email};
use actix_web::http::StatusCode;
use actix_web::http::header::SET_COOKIE;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::{PlainSecret, SecretDigest};
use askama::Template;
use gatehouse_core::flows::create_user::CreateUserError;
use gatehouse_core::flows::invitations::{
    AcceptInvitation, AcceptInvitationError, accept_invitation, find_usable_invitation,
};
use gatehouse_core::randomness::OsRandomness;
use storage::StoreError;
use web_conventions::operations::{Operation, RateClass, get, post};

use super::new_password::hash_new_password;
use crate::frame::client::{browser, counted_address};
use crate::frame::cookies;
use crate::frame::form::PageForm;
use crate::frame::page::answer::{PageRequest, see_other};
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::INVITATIONS;
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("invitationPage", "/invitations/{secret}", show),
        post("acceptInvitation", INVITATIONS, accept).rated(RateClass::Guess),
    ]
}

/// Values of the form.
#[derive(Debug, Default)]
struct RegistrationForm {
    username: String,
    name: String,
    email: String,
    /// Error of the form, as a sentence.
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "areas/sign_in/invitation.html")]
struct InvitationPage<'a> {
    shell: Shell,
    secret: &'a str,
    /// Username of a user who is signed in, and will be signed out.
    signed_in: Option<&'a str>,
    form: RegistrationForm,
    least: usize,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let secret = request.match_info().get("secret").unwrap_or_default();
    let secret = PlainSecret::new(secret);
    let invitation = find(&page, secret.digest()).await?;
    let form = RegistrationForm {
        username: invitation.username.unwrap_or_default(),
        email: invitation.email.unwrap_or_default(),
        ..RegistrationForm::default()
    };
    respond(&page, StatusCode::OK, &secret, form)
}

fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    secret: &PlainSecret,
    form: RegistrationForm,
) -> Result<HttpResponse, PageFailure> {
    let mut shell = page.shell(SiteArea::Focused, "Create your account");
    shell.user = None;
    let template = InvitationPage {
        shell,
        secret: secret.reveal(),
        signed_in: page.visitor.user().map(|user| user.username.as_str()),
        form,
        least: MIN_CHARACTERS,
    };
    page.show_with(status, &template)
}

/// Returns the invitation with this digest.
///
/// # Errors
/// The same 404 whether it never existed, was used, was revoked or has expired, each of which counts as a guess of the
/// address; 429 after too many; failures of the store.
async fn find(page: &PageRequest<'_>, digest: SecretDigest) -> Result<Invitation, PageFailure> {
    let address = counted_address(page.request, page.state);
    let (policy, now) = (
        page.state.settings.sign_in.rules.policy.per_address,
        page.visitor.now(),
    );
    let read = page.state.database.read(page.visitor.lane(), move |tx| {
        let seconds = invitation_lockout_seconds(tx, &address, &policy, now)?;
        let found = match seconds {
            None => find_usable_invitation(tx, &digest, now)?,
            Some(_) => None,
        };
        Ok((found, seconds))
    });
    let found: Result<_, StoreError> = read.await;
    match found? {
        (_, Some(seconds)) => Err(too_many(seconds)),
        (Some(invitation), None) => Ok(invitation),
        (None, None) => Err(refuse(page).await?),
    }
}

/// Counts a wrong link, and returns its refusal.
async fn refuse(page: &PageRequest<'_>) -> Result<PageFailure, StoreError> {
    let address = counted_address(page.request, page.state);
    let (policy, now) = (
        page.state.settings.sign_in.rules.policy.per_address,
        page.visitor.now(),
    );
    let count = page
        .state
        .write(move |tx| count_wrong_invitation(tx, &address, &policy, now).map(drop));
    let counted: Result<(), StoreError> = count.await;
    counted?;
    let advice = "The invitation was used, was revoked or has expired, or the link is incomplete. Ask the administrator who invited you for a new one.";
    let heading = "This invitation is not valid";
    Ok(PageFailure::new(StatusCode::NOT_FOUND, heading, advice))
}

fn too_many(seconds: i64) -> PageFailure {
    let advice = "Too many invalid invitations were opened from your address. Try again later.";
    let heading = "Too many attempts";
    PageFailure::new(StatusCode::TOO_MANY_REQUESTS, heading, advice).retry_after(seconds)
}

async fn accept(
    request: HttpRequest,
    state: Data<AppState>,
    form: PageForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let secret = form.secret("invitation[secret]");
    find(&page, secret.digest()).await?;
    let text = |name| form.text(name).trim().to_owned();
    let mut typed = RegistrationForm {
        username: text("user[username]"),
        name: text("user[name]"),
        email: text("user[email]"),
        problem: None,
    };
    match register(&page, &form, &typed, &secret).await? {
        Ok(answer) => Ok(answer),
        Err(problem) => {
            typed.problem = Some(problem);
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, &secret, typed)
        }
    }
}

/// Registers and signs in the person, or returns the reason against it as a sentence.
async fn register(
    page: &PageRequest<'_>,
    form: &PageForm,
    typed: &RegistrationForm,
    secret: &PlainSecret,
) -> Result<Result<HttpResponse, String>, PageFailure> {
    let new = match read_user(page, form, typed).await? {
        Ok(new) => new,
        Err(problem) => return Ok(Err(problem)),
    };
    let value = cookies::fresh_value(&OsRandomness);
    let accepted = AcceptInvitation {
        digest: secret.digest(),
        new,
        browser: browser(page.request, page.state, &value),
        replaced: page.visitor.any_session().map(|found| found.session.id),
    };
    let lifetime = page.state.sessions.lifetime();
    let write = page
        .state
        .write(move |tx| accept_invitation(tx, &accepted, lifetime));
    match write.await {
        Ok(_) => {
            let cookie = cookies::session(page.state, &value, Some(lifetime));
            Ok(Ok(see_other("/")
                .append_header((SET_COOKIE, cookie))
                .finish()))
        }
        Err(AcceptInvitationError::Invalid) => Err(refuse(page).await?),
        Err(
            AcceptInvitationError::Store(error)
            | AcceptInvitationError::User(CreateUserError::Store(error)),
        ) => Err(error.into()),
        Err(AcceptInvitationError::User(CreateUserError::UsernameTaken)) => Ok(Err(
            "Choose another username: a user or group has this one.".to_owned(),
        )),
        Err(AcceptInvitationError::User(CreateUserError::EmailTaken)) => Ok(Err(
            "Enter another email address: a user has this one.".to_owned(),
        )),
        Err(refused) => Ok(Err(format!("Account not created: {refused}."))),
    }
}

/// Reads the user of a form, with a hashed password; or the first error of the fields as a sentence.
async fn read_user(
    page: &PageRequest<'_>,
    form: &PageForm,
    typed: &RegistrationForm,
) -> Result<Result<NewUser, String>, PageFailure> {
    let username = match Username::parse(&typed.username) {
        Ok(username) => username,
        Err(error) => return Ok(Err(format!("Choose another username: {error}."))),
    };
    if let Err(error) = check_email(&typed.email) {
        return Ok(Err(format!("Enter another email address: {error}.")));
    }
    let password = match hash_new_password(page, form).await? {
        Ok(hash) => hash,
        Err(problem) => return Ok(Err(problem)),
    };
    let name = if typed.name.is_empty() {
        &typed.username
    } else {
        &typed.name
    };
    Ok(Ok(NewUser {
        username,
        name: name.clone(),
        email: typed.email.clone(),
        kind: UserKind::Human,
        is_admin: false,
        password: Some(password),
        created_at: page.visitor.now(),
    }))
}
