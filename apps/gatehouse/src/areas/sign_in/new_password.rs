//! New password of a form, entered twice.

use accounts::password::{PasswordError, PasswordHash};
use gatehouse_core::passwords::HashError;

use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;

/// Hashes the new password of a form, or returns the reason against it as a sentence.
///
/// # Errors
/// 503 while too many passwords are hashed; failures of the hash function.
pub(super) async fn hash_new_password(
    page: &PageRequest<'_>,
    form: &PageForm,
) -> Result<Result<PasswordHash, String>, PageFailure> {
    if form.text("user[password]") != form.text("user[password_confirmation]") {
        return Ok(Err("The two passwords do not match.".to_owned()));
    }
    let hashed = page.state.passwords.hash(form.secret("user[password]"));
    match hashed.await {
        Ok(hash) => Ok(Ok(hash)),
        Err(HashError::HashQueueFull(busy)) => Err(busy.into()),
        Err(HashError::Password(error @ PasswordError::Hashing)) => {
            Err(PageFailure::from_fault(error))
        }
        Err(HashError::Password(error)) => Ok(Err(format!("Choose another password: {error}."))),
    }
}
