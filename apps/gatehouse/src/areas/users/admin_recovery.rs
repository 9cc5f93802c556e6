//! `/admin/users/{username}/password`, `password_link` and `second_factor_off`: help for users who lost a password or a second factor,
//! by administrators.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::secret::PlainSecret;
use gatehouse_core::flows::account_mail::OutgoingMail;
use gatehouse_core::flows::account_recovery::{
    disable_second_factor_of, send_password_link_to, set_password_of,
};
use gatehouse_core::passwords::HashError;
use gatehouse_core::randomness::OsRandomness;
use web_conventions::operations::{Operation, post};

use super::admin_new::show_once;
use super::admin_user::{edited, failure, path_of};
use crate::frame::form::AdministratorForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::notice::Notice;
use crate::frame::return_to::NEW_PASSWORD;
use crate::state::AppState;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        post(
            "setUserPasswordByForm",
            "/admin/users/{username}/password",
            set_password,
        ),
        post(
            "sendPasswordLinkByForm",
            "/admin/users/{username}/password_link",
            send_link,
        ),
        post(
            "disableUserSecondFactorByForm",
            "/admin/users/{username}/second_factor_off",
            disable_second_factor,
        ),
    ]
}

/// Sets a random password and redirects to the page of the user, which shows the password once.
async fn set_password(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, by) = edited(&page, &form).await?;
    let (id, mail) = (user.id, state.outgoing_mail());
    let password = PlainSecret::generate("", &OsRandomness);
    let hashed = state.passwords.hash(PlainSecret::new(password.reveal()));
    let hash = hashed.await.map_err(|error| match error {
        HashError::HashQueueFull(busy) => busy.into(),
        HashError::Password(error) => PageFailure::from_fault(error),
    })?;
    let changed = state.write(move |tx| set_password_of(tx, id, &hash, mail, by));
    changed.await.map_err(failure)?;
    show_once(&page, &user, &password, Notice::UserPasswordSet)
}

async fn send_link(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, by) = edited(&page, &form).await?;
    if state.outgoing_mail() == OutgoingMail::Off {
        return Err(PageFailure::bad_request(
            "This server sends no mail. Set a new password instead.",
        ));
    }
    let (id, vault) = (user.id, state.vault.clone());
    let sent = state.write(move |tx| send_password_link_to(tx, id, &vault, NEW_PASSWORD, by));
    sent.await.map_err(failure)?;
    Ok(page.redirect_with_notice(&path_of(&user), Notice::UserPasswordLinkSent))
}

async fn disable_second_factor(
    request: HttpRequest,
    state: Data<AppState>,
    form: AdministratorForm,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &form.visitor);
    let (user, by) = edited(&page, &form).await?;
    let id = user.id;
    let changed = state.write(move |tx| disable_second_factor_of(tx, id, by));
    changed.await.map_err(failure)?;
    Ok(page.redirect_with_notice(&path_of(&user), Notice::SecondFactorOff))
}
