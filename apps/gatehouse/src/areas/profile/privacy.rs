//! `/profile/privacy`: privacy of the user's profile.

use accounts::UserChange;
use accounts::flow::update_user::{UpdateUserError, update_user};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::error::ApiError;
use web_conventions::operations::{Operation, post};

use crate::frame::form::SignedInForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![post("changePrivacy", "/profile/privacy", change)]
}

async fn change(
    request: HttpRequest,
    state: Data<AppState>,
    form: SignedInForm,
) -> Result<HttpResponse, PageFailure> {
    let id = form.visitor.member(&request)?.user.id;
    let change = UserChange::of_privacy(form.is_ticked("user[private_profile]"));
    let changed = state.write(move |tx| update_user(tx, id, change.clone(), id));
    changed.await.map_err(refusal)?;
    let page = PageRequest::new(&request, &state, &form.visitor);
    Ok(page.redirect_with_notice("/profile", Notice::PrivacySaved))
}

fn refusal(error: UpdateUserError) -> PageFailure {
    match error {
        UpdateUserError::Store(error) => error.into(),
        refused => ApiError::from(refused).into(),
    }
}
