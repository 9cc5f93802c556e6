//! Changes of applications, with entries in the audit log: of the instance, or of the user who owns the application.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::flow::applications::{self, Registration};
use oauth_provider::{Application, ApplicationChange, ApplicationOwner};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Author and time of a change of an application, and the owner of the application.
#[derive(Debug, Clone, Copy)]
pub struct ApplicationEditor {
    /// Owner of the application.
    pub owner: ApplicationOwner,
    /// Author; `None` for the command line.
    pub id: Option<UserId>,
    /// Current time.
    pub now: Timestamp,
}

impl ApplicationEditor {
    fn record(
        self,
        tx: &mut dyn WriteTransaction,
        event_name: AuditEventName,
        application: &Application,
    ) -> Result<(), StoreError> {
        tx.insert_audit_entries(&[NewAuditEntry {
            author_id: self.id,
            entity: match self.owner {
                ApplicationOwner::Instance => AuditEntity::Instance,
                ApplicationOwner::User(id) => AuditEntity::User(id),
            },
            event_name,
            target: None,
            details: AuditDetails::new(&[
                ("application_id", &application.id.to_string()),
                ("name", &application.name),
                ("uid", application.uid.as_str()),
                ("scopes", &application.scopes.to_string()),
                ("trusted", &application.trusted.to_string()),
            ]),
            created_at: self.now,
            impersonator_id: None,
        }])
    }
}

/// Registers an application.
///
/// # Errors
/// Failures of the store.
pub fn register_application(
    tx: &mut dyn WriteTransaction,
    registration: Registration,
    by: ApplicationEditor,
) -> Result<Application, StoreError> {
    let application = applications::register(tx, registration)?;
    by.record(tx, AuditEventName::ApplicationCreated, &application)?;
    Ok(application)
}

/// Updates an application; `None` if its owner has no application with this id.
///
/// # Errors
/// Failures of the store.
pub fn update_application(
    tx: &mut dyn WriteTransaction,
    id: ApplicationId,
    change: &ApplicationChange,
    by: ApplicationEditor,
) -> Result<Option<Application>, StoreError> {
    let changed = applications::change(tx, by.owner, id, change)?;
    if let Some(application) = &changed {
        by.record(tx, AuditEventName::ApplicationUpdated, application)?;
    }
    Ok(changed)
}

/// Replaces the secret of an application; `None` if its owner has no application with this id.
///
/// # Errors
/// Failures of the store.
pub fn renew_application_secret(
    tx: &mut dyn WriteTransaction,
    id: ApplicationId,
    secret: SecretDigest,
    by: ApplicationEditor,
) -> Result<Option<Application>, StoreError> {
    let renewed = applications::renew_secret(tx, by.owner, id, secret)?;
    if let Some(application) = &renewed {
        by.record(tx, AuditEventName::ApplicationSecretRenewed, application)?;
    }
    Ok(renewed)
}

/// Deletes an application with its tokens. Returns it; `None` if its owner has no application with this id.
///
/// # Errors
/// Failures of the store.
pub fn delete_application(
    tx: &mut dyn WriteTransaction,
    id: ApplicationId,
    by: ApplicationEditor,
) -> Result<Option<Application>, StoreError> {
    let Some(application) = applications::find(tx, by.owner, id)? else {
        return Ok(None);
    };
    if !applications::delete(tx, by.owner, id)? {
        return Ok(None);
    }
    by.record(tx, AuditEventName::ApplicationDeleted, &application)?;
    Ok(Some(application))
}
