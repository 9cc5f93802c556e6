//! Form on `/admin/users/{username}` that changes the name, the email address and the role of a user, for administrators.

use accounts::flow::update_user::UpdateUserError;
use accounts::{User, UserChange};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use gatehouse_core::flows::users::update_user_by;
use web_conventions::operations::{Operation, post};

use super::admin_user::{PATH, actor, path_of, refuse_edit, user_in_path};
use crate::frame::form::{AdministratorForm, PageForm};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![post("updateUserByForm", PATH, update)]
}

/// Fields of the form.
#[derive(Debug, Clone)]
pub(super) struct UserEditForm {
    pub(super) name: String,
    pub(super) email: String,
    pub(super) is_admin: bool,
    /// Error of the form, as a sentence.
    pub(super) problem: Option<String>,
}

impl UserEditForm {
    /// Creates the form of a user.
    pub(super) fn of(user: &User) -> Self {
        Self {
            name: user.name.clone(),
            email: user.email.clone(),
            is_admin: user.is_admin,
            problem: None,
        }
    }

    /// Reads the fields of a submitted form.
    fn read(form: &PageForm) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            name: text("user[name]"),
            email: text("user[email]"),
            is_admin: form.is_ticked("user[admin]"),
            problem: None,
        }
    }

    /// Returns the change that the form requests. Administrators do not see the checkbox on their own page, so that they do
    /// not lose the role by mistake, and the role stays.
    fn change(&self, is_self: bool) -> UserChange {
        UserChange {
            name: Some(self.name.clone()),
            email: Some(self.email.clone()),
            is_admin: (!is_self).then_some(self.is_admin),
            private_profile: None,
        }
    }
}

/// Updates a user by the rules of `PUT /users/:id`.
async fn update(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, activity) = user_in_path(&page).await?;
    let (id, by) = (user.id, actor(&page, &form)?);
    let mut typed = UserEditForm::read(&form);
    let change = typed.change(by.id == id);
    let write = state.write(move |tx| update_user_by(tx, id, &change, None, by));
    match write.await {
        Ok(_) => Ok(page.redirect_with_notice(&path_of(&user), Notice::UserSaved)),
        Err(error) => {
            typed.problem = Some(problem_of(error)?);
            refuse_edit(&page, &user, &activity, typed)
        }
    }
}

/// Error of the form, as a sentence.
///
/// # Errors
/// Errors that concern no field: an unknown user, a caller who is no administrator any more, and failures of the store.
fn problem_of(error: UpdateUserError) -> Result<String, PageFailure> {
    match error {
        UpdateUserError::EmailTaken => {
            Ok("Enter another email address: a user has this one.".to_owned())
        }
        UpdateUserError::Invalid(failures) => Ok(format!("User not saved: {failures}.")),
        UpdateUserError::Store(error) => Err(error.into()),
        refused => Err(ApiError::from(refused).into()),
    }
}
