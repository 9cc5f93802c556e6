//! Changes of applications. Each raises the authentication epoch in the same step, because applications and the tokens
//! that were issued to them are cached: whatever a change ends is over in every process within a moment.

use api_conventions::ids::ApplicationId;
use api_conventions::secret::SecretDigest;
use oauth_provider::flow::applications;
use oauth_provider::{Application, ApplicationChange, ApplicationOwner};
use storage::StoreError;

use crate::database::WriteTransaction;

/// An application after a change, and the epoch from which on everyone knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The application.
    pub application: Application,
    /// The epoch, to be observed before the answer is sent.
    pub epoch: i64,
}

/// Makes an application what it is to be from now on. `None` when the owner has none with this id.
///
/// # Errors
/// Failures of the store.
pub fn change_application(
    tx: &mut dyn WriteTransaction,
    owner: ApplicationOwner,
    id: ApplicationId,
    wanted: &ApplicationChange,
) -> Result<Option<Changed>, StoreError> {
    let changed = applications::change(tx, owner, id, wanted)?;
    with_epoch(tx, changed)
}

/// Gives an application another secret. `None` when the owner has none with this id.
///
/// # Errors
/// Failures of the store.
pub fn renew_application_secret(
    tx: &mut dyn WriteTransaction,
    owner: ApplicationOwner,
    id: ApplicationId,
    secret: SecretDigest,
) -> Result<Option<Changed>, StoreError> {
    let changed = applications::renew_secret(tx, owner, id, secret)?;
    with_epoch(tx, changed)
}

/// Deletes an application with everything that was granted to it, and gives the epoch to be observed before the answer
/// is sent. `None` when the owner has none with this id.
///
/// # Errors
/// Failures of the store.
pub fn delete_application(
    tx: &mut dyn WriteTransaction,
    owner: ApplicationOwner,
    id: ApplicationId,
) -> Result<Option<i64>, StoreError> {
    if applications::delete(tx, owner, id)? {
        return tx.raise_auth_epoch().map(Some);
    }
    Ok(None)
}

fn with_epoch(
    tx: &mut dyn WriteTransaction,
    changed: Option<Application>,
) -> Result<Option<Changed>, StoreError> {
    let Some(application) = changed else {
        return Ok(None);
    };
    let epoch = tx.raise_auth_epoch()?;
    Ok(Some(Changed { application, epoch }))
}
