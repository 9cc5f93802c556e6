//! `/admin/users/{username}`: facts, state and deletion of a user, for administrators.

use accounts::{StateChange, User, UserActivity, UserKind, UserState, Username};
use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::secret::PlainSecret;
use askama::Template;
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::delete_user::{DeleteUserError, delete_user};
use gatehouse_core::flows::groups::Actor;
use gatehouse_core::flows::users::{AccountEditor, StateChangeError, change_state};
use storage::StoreError;
use web_conventions::operations::{Operation, get, post};

use super::activity::activity_of;
use super::admin_edit::UserEditForm;
use super::{admin_list, token_page};
use crate::frame::form::AdministratorForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::list::sentence_case;
use crate::frame::page::notice::Notice;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::return_to::query_value;
use crate::frame::secret_once::{self, SecretSubject};
use crate::frame::visitor::Administrator;
use crate::state::AppState;

pub(super) const PATH: &str = "/admin/users/{username}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("userAdministrationPage", PATH, show),
        post(
            "changeUserStateByForm",
            "/admin/users/{username}/state",
            change,
        ),
        post("deleteUserByForm", "/admin/users/{username}/delete", remove),
    ]
}

/// Path of the page of a user, below the root of the server.
pub(super) fn path_of(user: &User) -> String {
    format!("{}/{}", admin_list::PATH, user.username.as_str())
}

/// Change of the state that the page offers: value, button, and what it does.
struct OfferedChange {
    value: &'static str,
    button: &'static str,
    about: &'static str,
}

/// Changes that the page offers, besides the end of two-factor authentication and of the account.
struct OfferedChanges {
    /// True if a link to choose a password can be sent.
    sends_links: bool,
    of_state: Vec<OfferedChange>,
}

#[derive(Template)]
#[template(path = "areas/users/admin_user.html")]
struct UserAdministrationPage {
    shell: Shell,
    path: String,
    name: DisplayName,
    username: String,
    email: String,
    id: String,
    state: &'static str,
    is_admin: bool,
    two_factor: bool,
    edit: UserEditForm,
    /// Changes that the page offers; `None` for the visitor's own account.
    offers: Option<OfferedChanges>,
    created: DisplayTime,
    seen: Option<DisplayTime>,
    /// Password that was just generated.
    password: Option<PlainSecret>,
    /// Path of the page of the user's tokens.
    tokens: Option<String>,
    confirm: String,
    /// Error of the form of deletion, as a sentence.
    problem: Option<String>,
}

async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Administrator,
) -> Result<HttpResponse, PageFailure> {
    let session = &visitor.administrator(&request)?.session;
    let page = PageRequest::new(&request, &state, &visitor);
    let (user, activity) = user_in_path(&page).await?;
    let created = query_value(&request, "created").and_then(|text| text.parse().ok());
    let of = created.map(UserId::new).filter(|id| *id == user.id);
    let of = of.map(SecretSubject::User);
    let password =
        of.and_then(|of| secret_once::sent(&request, &state, of, session, visitor.now()));
    let content = UserAdministrationPage::new(&page, &user, &activity, password);
    let mut answer = page.show(&content)?;
    if let Some(of) = of {
        secret_once::forget(&mut answer, &state, of)?;
    }
    Ok(answer)
}

/// Returns the user of the path, who is no bot.
pub(super) async fn user_in_path(
    page: &PageRequest<'_>,
) -> Result<(User, UserActivity), PageFailure> {
    let name = page.request.match_info().get("username");
    let name = name.and_then(|name| Username::parse(name).ok());
    let name = name.ok_or_else(PageFailure::not_found)?;
    let found = page.state.database.read(page.visitor.lane(), move |tx| {
        let Some(user) = tx.find_user_by_username(name.as_str())? else {
            return Ok(None);
        };
        let activity = activity_of(tx, &[user.id])?.of(user.id);
        Ok::<_, StoreError>(Some((user, activity)))
    });
    let found: Option<(User, UserActivity)> = found.await?;
    found
        .filter(|(user, _)| user.kind == UserKind::Human)
        .ok_or_else(PageFailure::not_found)
}

impl UserAdministrationPage {
    fn new(
        page: &PageRequest<'_>,
        user: &User,
        activity: &UserActivity,
        password: Option<PlainSecret>,
    ) -> Self {
        let (now, username) = (page.visitor.now(), user.username.as_str().to_owned());
        let is_self = page.visitor.user().is_some_and(|own| own.id == user.id);
        let seen = activity.last_seen_at;
        Self {
            shell: page.shell(SiteArea::Administration, format!("@{username}")),
            path: path_of(user),
            name: DisplayName::of(&user.name),
            email: user.email.clone(),
            id: user.id.to_string(),
            state: user.state.as_str(),
            is_admin: user.is_admin,
            two_factor: user.two_factor_enabled,
            edit: UserEditForm::of(user),
            offers: (!is_self).then(|| OfferedChanges {
                sends_links: user.state == UserState::Active
                    && page.state.outgoing_mail() == OutgoingMail::On,
                of_state: offered(user.state),
            }),
            created: DisplayTime::at(user.created_at, now),
            seen: seen.map(|at| DisplayTime::at(at, now)),
            password,
            tokens: token_page::path_of(user),
            confirm: String::new(),
            problem: None,
            username,
        }
    }
}

/// Returns the changes that a state allows.
fn offered(state: UserState) -> Vec<OfferedChange> {
    let change = |value, button, about| OfferedChange {
        value,
        button,
        about,
    };
    match state {
        UserState::Active => vec![
            change(
                "block",
                "Block",
                "Ends the sessions of the user and refuses their tokens until they are unblocked.",
            ),
            change(
                "ban",
                "Ban",
                "Blocks the user until the ban is lifted, and marks the account as banned.",
            ),
        ],
        UserState::Blocked { .. } => vec![change(
            "unblock",
            "Unblock",
            "The user can sign in again, and their tokens work again.",
        )],
        UserState::Banned { .. } => vec![change(
            "unban",
            "Lift the ban",
            "The user can sign in again, and their tokens work again.",
        )],
        UserState::Deactivated { .. } => vec![change(
            "activate",
            "Activate",
            "The user can sign in again, and their tokens work again.",
        )],
    }
}

fn parse_change(word: &str) -> Option<StateChange> {
    Some(match word {
        "block" => StateChange::Block,
        "unblock" => StateChange::Unblock,
        "ban" => StateChange::Ban,
        "unban" => StateChange::Unban,
        "activate" => StateChange::Activate,
        _ => return None,
    })
}

async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, by) = edited(&page, &form).await?;
    let change = parse_change(form.text("change"));
    let change = change.ok_or_else(|| PageFailure::bad_request("Choose one of the changes."))?;
    let id = user.id;
    let changed = state.write(move |tx| change_state(tx, id, change, by));
    changed.await.map_err(failure)?;
    Ok(page.redirect_with_notice(&path_of(&user), Notice::UserStateChanged))
}

/// User of the path, with the author and time of a change through a form.
pub(super) async fn edited(
    page: &PageRequest<'_>,
    form: &AdministratorForm,
) -> Result<(User, AccountEditor), PageFailure> {
    let (user, _) = user_in_path(page).await?;
    Ok((user, editor(page, form)?))
}

/// Author and time of a change through a form.
pub(super) fn editor(
    page: &PageRequest<'_>,
    form: &AdministratorForm,
) -> Result<AccountEditor, PageFailure> {
    Ok(AccountEditor {
        id: Some(form.visitor.administrator(page.request)?.user.id),
        now: form.visitor.now(),
    })
}

/// Acting user of a form.
pub(super) fn actor(
    page: &PageRequest<'_>,
    form: &AdministratorForm,
) -> Result<Actor, PageFailure> {
    Ok(Actor {
        id: form.visitor.administrator(page.request)?.user.id,
        viewer: form.visitor.viewer(),
        now: form.visitor.now(),
    })
}

/// Page for a refused change.
pub(super) fn failure(error: StateChangeError) -> PageFailure {
    match error {
        StateChangeError::Store(error) => error.into(),
        StateChangeError::Unknown => PageFailure::not_found(),
        StateChangeError::Refused(reason) => {
            let advice = format!("{}.", sentence_case(reason));
            PageFailure::new(StatusCode::FORBIDDEN, "Nothing was changed", advice)
        }
        _ => PageFailure::forbidden(),
    }
}

async fn remove(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, activity) = user_in_path(&page).await?;
    let typed = form.text("confirm").trim();
    if typed != user.username.as_str() {
        let problem = "Enter the username to confirm.";
        return refuse(&page, &user, &activity, typed, problem);
    }
    delete(&page, &form, &user, &activity).await
}

/// Deletes the user of a confirmed form.
async fn delete(
    page: &PageRequest<'_>,
    form: &AdministratorForm,
    user: &User,
    activity: &UserActivity,
) -> Result<HttpResponse, PageFailure> {
    let actor = actor(page, form)?;
    let (id, hard) = (user.id, form.is_ticked("hard_delete"));
    let delete = page
        .state
        .write(move |tx| delete_user(tx, id, hard, None, actor));
    match delete.await {
        Ok(()) => Ok(page.redirect_with_notice(admin_list::PATH, Notice::UserDeleted)),
        Err(DeleteUserError::Store(error)) => Err(error.into()),
        Err(DeleteUserError::OnlyOwner) => {
            let problem = "The user is the only Owner of a group. Add another Owner, or delete the contributions and groups, too.";
            refuse(page, user, activity, user.username.as_str(), problem)
        }
        Err(refused) => Err(ApiError::from(refused).into()),
    }
}

/// Responds with the page and the fields and error of the form that edits the user.
pub(super) fn refuse_edit(
    page: &PageRequest<'_>,
    user: &User,
    activity: &UserActivity,
    typed: UserEditForm,
) -> Result<HttpResponse, PageFailure> {
    let mut content = UserAdministrationPage::new(page, user, activity, None);
    content.edit = typed;
    page.show_with(StatusCode::UNPROCESSABLE_ENTITY, &content)
}

/// Responds with the page and the error of the form of deletion.
fn refuse(
    page: &PageRequest<'_>,
    user: &User,
    activity: &UserActivity,
    typed: &str,
    problem: &str,
) -> Result<HttpResponse, PageFailure> {
    let mut content = UserAdministrationPage::new(page, user, activity, None);
    content.confirm = typed.to_owned();
    content.problem = Some(problem.to_owned());
    page.show_with(StatusCode::UNPROCESSABLE_ENTITY, &content)
}
