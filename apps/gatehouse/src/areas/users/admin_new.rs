//! `/admin/users/-/new`: form to create a user, for administrators.

use accounts::password::PasswordError;
use accounts::{NewUser, User, UserKind, Username, check_email};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::create_user::CreateUserError;
use gatehouse_core::flows::users::create_user_by;
use gatehouse_core::passwords::HashError;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, get, post};

use super::admin_list;
use super::admin_user::{self, editor};
use crate::frame::form::{AdministratorForm, PageForm};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

/// Path of the form. No username begins with the character of its third segment.
const NEW: &str = "/admin/users/-/new";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("newUserPage", NEW, show),
        post("createUserByForm", admin_list::PATH, create),
    ]
}

/// Fields of the form.
#[derive(Debug, Clone, Default)]
struct NewUserForm {
    username: String,
    name: String,
    email: String,
    is_admin: bool,
    /// Error of the form, as a sentence.
    problem: Option<String>,
}

#[derive(Template)]
#[template(path = "areas/users/admin_new.html")]
struct NewUserPage {
    shell: Shell,
    form: NewUserForm,
}

impl NewUserForm {
    fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            username: text("user[username]"),
            name: text("user[name]"),
            email: text("user[email]"),
            is_admin: form.is_ticked("user[admin]"),
            problem: None,
        }
    }

    /// Returns the user to create, without a password.
    ///
    /// # Errors
    /// The first error of the fields, as a sentence.
    fn user(&self, form: &AdministratorForm) -> Result<NewUser, String> {
        let username = Username::parse(&self.username)
            .map_err(|error| format!("Enter another username: {error}."));
        let username = username?;
        check_email(&self.email)
            .map_err(|error| format!("Enter another email address: {error}."))?;
        let name = if self.name.is_empty() {
            self.username.clone()
        } else {
            self.name.clone()
        };
        Ok(NewUser {
            username,
            name,
            email: self.email.clone(),
            kind: UserKind::Human,
            is_admin: self.is_admin,
            password: None,
            created_at: form.visitor.now(),
        })
    }
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    respond(&page, StatusCode::OK, NewUserForm::default())
}

fn respond(
    page: &PageRequest<'_>,
    status: StatusCode,
    form: NewUserForm,
) -> Result<HttpResponse, PageFailure> {
    let shell = page.shell(SiteArea::Administration, "New user");
    page.show_with(status, &NewUserPage { shell, form })
}

/// Creates a user with a random password and redirects to the page of the user, which shows the password once.
async fn create(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let mut typed = NewUserForm::read(&form);
    let password = PlainSecret::generate("", &OsRandomness);
    match insert(&page, &form, &typed, &password).await? {
        Ok(user) => show_once(&page, &user, &password, Notice::UserCreated),
        Err(problem) => {
            typed.problem = Some(problem);
            respond(&page, StatusCode::UNPROCESSABLE_ENTITY, typed)
        }
    }
}

/// Inserts the user, or returns the reason against it as a sentence.
async fn insert(
    page: &PageRequest<'_>,
    form: &AdministratorForm,
    typed: &NewUserForm,
    password: &PlainSecret,
) -> Result<Result<User, String>, PageFailure> {
    let mut new = match typed.user(form) {
        Ok(new) => new,
        Err(problem) => return Ok(Err(problem)),
    };
    let by = editor(page, form)?;
    let hashed = page
        .state
        .passwords
        .hash(PlainSecret::new(password.reveal()));
    new.password = match hashed.await {
        Ok(hash) => Some(hash),
        Err(HashError::HashQueueFull(busy)) => return Err(busy.into()),
        Err(HashError::Password(error @ PasswordError::Hashing)) => {
            return Err(PageFailure::from_fault(error));
        }
        Err(HashError::Password(error)) => return Ok(Err(format!("User not created: {error}."))),
    };
    let write = page
        .state
        .write(move |tx| create_user_by(tx, &new, false, by));
    match write.await {
        Ok(user) => Ok(Ok(user)),
        Err(CreateUserError::Store(error)) => Err(error.into()),
        Err(CreateUserError::UsernameTaken) => Ok(Err(
            "Enter another username: a user or group has this one.".to_owned(),
        )),
        Err(CreateUserError::EmailTaken) => Ok(Err(
            "Enter another email address: a user has this one.".to_owned(),
        )),
        Err(refused) => Ok(Err(format!("User not created: {refused}."))),
    }
}

/// Redirects to the page of a user, which shows the password once.
pub(super) fn show_once(
    page: &PageRequest<'_>,
    user: &User,
    password: &PlainSecret,
    notice: Notice,
) -> Result<HttpResponse, PageFailure> {
    let session = &page.visitor.administrator(page.request)?.session;
    let path = format!("{}?created={}", admin_user::path_of(user), user.id);
    let mut answer = page.redirect_with_notice(&path, notice);
    let (of, now) = (SecretSubject::User(user.id), page.visitor.now());
    secret_once::send(&mut answer, page.state, of, session, password, now)?;
    Ok(answer)
}
