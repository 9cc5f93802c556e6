//! Management of applications, for one owner at a time.

use api_conventions::ids::ApplicationId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Application, ApplicationChange, ApplicationUid, NewApplication};
use crate::store::{ApplicationOwner, ApplicationQueries, ApplicationRepository};

/// Registration of an application whose attributes passed [`validate`](super::validate).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Registration {
    /// Validated attributes.
    pub application: ApplicationChange,
    /// Public name, fresh.
    pub uid: ApplicationUid,
    /// Digest of a fresh secret. A public application has one too, which it may use.
    pub secret: SecretDigest,
    /// Owner of the application.
    pub owner: ApplicationOwner,
    /// Current time.
    pub now: Timestamp,
}

impl Registration {
    /// Creates a registration for `owner` with a fresh name and a fresh secret.
    pub fn new(
        application: ApplicationChange,
        uid: ApplicationUid,
        secret: SecretDigest,
        owner: ApplicationOwner,
        now: Timestamp,
    ) -> Self {
        Self {
            application,
            uid,
            secret,
            owner,
            now,
        }
    }
}

/// Registers an application.
///
/// # Errors
/// Failures of the store.
pub fn register<R: ApplicationRepository + ?Sized>(
    repos: &mut R,
    registration: Registration,
) -> Result<Application, StoreError> {
    let Registration {
        application,
        uid,
        secret,
        owner,
        now,
    } = registration;
    let new = NewApplication {
        uid,
        secret,
        name: application.name,
        redirect_uris: application.redirect_uris,
        post_logout_redirect_uris: application.post_logout_redirect_uris,
        scopes: application.scopes,
        client_type: application.client_type,
        trusted: application.trusted,
        options: application.options,
        owner_id: owner.user_id(),
        created_at: now,
    };
    let id = repos.insert_application(&new)?;
    Ok(Application {
        id,
        uid: new.uid,
        secret: new.secret,
        name: new.name,
        redirect_uris: new.redirect_uris,
        post_logout_redirect_uris: new.post_logout_redirect_uris,
        scopes: new.scopes,
        client_type: new.client_type,
        trusted: new.trusted,
        options: new.options,
        owner_id: new.owner_id,
        created_at: new.created_at,
    })
}

/// Returns the application with this id, if this owner has it.
///
/// # Errors
/// Failures of the store.
pub fn find<R: ApplicationQueries + ?Sized>(
    repos: &mut R,
    owner: ApplicationOwner,
    id: ApplicationId,
) -> Result<Option<Application>, StoreError> {
    let found = repos.find_application(id)?;
    Ok(found.filter(|application| application.owner_id == owner.user_id()))
}

/// Updates an application and returns it.
///
/// Earlier grants remain, but tokens and refreshes give no more scopes than the application may still hold. Returns
/// `None`, and writes nothing, if the owner has no such application.
///
/// # Errors
/// Failures of the store.
pub fn change<R: ApplicationRepository + ?Sized>(
    repos: &mut R,
    owner: ApplicationOwner,
    id: ApplicationId,
    application: &ApplicationChange,
) -> Result<Option<Application>, StoreError> {
    if find(repos, owner, id)?.is_none() || !repos.update_application(id, application)? {
        return Ok(None);
    }
    repos.find_application(id)
}

/// Replaces the secret of an application; from the commit on, the old one is invalid. Returns `None`, and writes
/// nothing, if the owner has no such application.
///
/// # Errors
/// Failures of the store.
pub fn renew_secret<R: ApplicationRepository + ?Sized>(
    repos: &mut R,
    owner: ApplicationOwner,
    id: ApplicationId,
    secret: SecretDigest,
) -> Result<Option<Application>, StoreError> {
    let found = find(repos, owner, id)?;
    if found.is_none() || !repos.replace_secret(id, &secret)? {
        return Ok(None);
    }
    Ok(found.map(|application| Application {
        secret,
        ..application
    }))
}

/// Deletes an application with all its grants. Returns `false`, and writes nothing, if the owner has no such
/// application.
///
/// # Errors
/// Failures of the store.
pub fn delete<R: ApplicationRepository + ?Sized>(
    repos: &mut R,
    owner: ApplicationOwner,
    id: ApplicationId,
) -> Result<bool, StoreError> {
    Ok(find(repos, owner, id)?.is_some() && repos.delete_application(id)?)
}
