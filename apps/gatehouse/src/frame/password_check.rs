//! Check of a password from a form.

use accounts::flow::check_password::{Attempt, LookUp, look_up};
use actix_web::HttpRequest;
use api_conventions::secret::PlainSecret;
use storage::StoreError;

use crate::frame::client::counted_address;
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::state::AppState;
use gatehouse_core::flows::account::{PasswordConfirmed, PasswordProof};

/// Looks up the login and hashes the password.
/// The transaction that needs the result validates it.
///
/// # Errors
/// 429 after too many failures; 503 if the hashing queue is full; failures of the store.
pub async fn check(
    request: &HttpRequest,
    state: &AppState,
    form: &PageForm,
    login: &str,
    password: PlainSecret,
) -> Result<PasswordProof, PageFailure> {
    let attempt = Attempt::new(login, counted_address(request, state), form.visitor.now());
    let (cloned, policy) = (attempt.clone(), state.settings.sign_in.rules.policy);
    let found = state
        .database
        .read(form.visitor.lane(), move |tx| look_up(tx, &cloned, &policy));
    let found: Result<LookUp, StoreError> = found.await;
    let found = match found? {
        LookUp::Found(found) => found,
        LookUp::LockedOut { seconds } => return Err(PageFailure::locked_out(seconds)),
    };
    let right = state.passwords.check(found.as_deref(), password).await?;
    Ok(PasswordProof { attempt, right })
}

/// Result of an operation that required the password; `None` after a wrong password, which the form reports.
///
/// # Errors
/// 429 after too many failures.
pub fn done<T>(outcome: PasswordConfirmed<T>) -> Result<Option<T>, PageFailure> {
    match outcome {
        PasswordConfirmed::Done(done) => Ok(Some(done)),
        PasswordConfirmed::Wrong => Ok(None),
        PasswordConfirmed::LockedOut { seconds } => Err(PageFailure::locked_out(seconds)),
    }
}
