//! Authorizations of applications by users, with entries in the audit log of the user.

use accounts::{AuditDetails, AuditEntity, AuditEventName, NewAuditEntry};
use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::flow::authorize::{
    Approval, ApproveOutcome, AuthorizationResponse, CheckedRequest, SignedIn, approve,
    approve_without_consent,
};
use oauth_provider::{Application, Policy};
use storage::StoreError;

use crate::database::WriteTransaction;

/// Approves a stored request with the consent of its user, as [`approve`] does.
///
/// # Errors
/// Failures of the store.
pub fn authorize_application(
    tx: &mut dyn WriteTransaction,
    approval: &Approval,
    policy: &Policy,
) -> Result<ApproveOutcome, StoreError> {
    // The approval deletes the request.
    let request = tx.find_authorization_request(&approval.handle)?;
    let outcome = approve(tx, approval, policy)?;
    let ApproveOutcome::Responded(_, application_id) = outcome else {
        return Ok(outcome);
    };
    let application = tx.find_application(application_id)?;
    if let (Some(request), Some(application)) = (request, application) {
        let authorization = UserAuthorization {
            user_id: request.user_id,
            application: &application,
            scopes: &request.scopes,
        };
        authorization.record(tx, approval.now)?;
    }
    Ok(outcome)
}

/// Approves a request that needs no consent, as [`approve_without_consent`] does. Recorded only the first time: an
/// application that administrators trust is authorized without a question, and the others have the consent of the user.
///
/// # Errors
/// Failures of the store.
pub fn authorize_without_consent(
    tx: &mut dyn WriteTransaction,
    request: &CheckedRequest,
    user: &SignedIn,
    code: SecretDigest,
    now: Timestamp,
    policy: &Policy,
) -> Result<AuthorizationResponse, StoreError> {
    if request.application.trusted {
        let authorization = UserAuthorization {
            user_id: user.user_id,
            application: &request.application,
            scopes: &request.scopes,
        };
        authorization.record_if_new(tx, now)?;
    }
    approve_without_consent(tx, request, user, code, now, policy)
}

/// Revokes everything that a user granted to an application: its tokens, and its unredeemed codes. Returns the number of
/// revoked grants.
///
/// # Errors
/// Failures of the store.
pub fn revoke_authorization(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    application_id: ApplicationId,
    now: Timestamp,
) -> Result<usize, StoreError> {
    let revoked = tx.revoke_grants_of_user(user_id, Some(application_id), now)?;
    if revoked == 0 {
        return Ok(0);
    }
    let application = tx.find_application(application_id)?;
    let name = application.map(|application| application.name);
    let details = AuditDetails::new(&[
        ("application_id", &application_id.to_string()),
        ("name", &name.unwrap_or_default()),
        ("revoked_grants", &revoked.to_string()),
    ]);
    let event_name = AuditEventName::AuthorizationRevoked;
    record(tx, user_id, event_name, details, now)?;
    Ok(revoked)
}

/// Scopes that a user grants to an application.
pub(super) struct UserAuthorization<'a> {
    pub(super) user_id: UserId,
    pub(super) application: &'a Application,
    pub(super) scopes: &'a ScopeSet,
}

impl UserAuthorization<'_> {
    /// Records the authorization unless the user gave the application these scopes before. Call it before the grant is
    /// inserted.
    pub(super) fn record_if_new(
        &self,
        tx: &mut dyn WriteTransaction,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if tx.has_consented(self.user_id, self.application.id, self.scopes, now)? {
            return Ok(());
        }
        self.record(tx, now)
    }

    fn record(&self, tx: &mut dyn WriteTransaction, now: Timestamp) -> Result<(), StoreError> {
        let application = self.application;
        let details = AuditDetails::new(&[
            ("application_id", &application.id.to_string()),
            ("name", &application.name),
            ("uid", application.uid.as_str()),
            ("scopes", &self.scopes.to_string()),
            ("trusted", &application.trusted.to_string()),
        ]);
        let event_name = AuditEventName::ApplicationAuthorized;
        record(tx, self.user_id, event_name, details, now)
    }
}

fn record(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    event_name: AuditEventName,
    details: AuditDetails,
    now: Timestamp,
) -> Result<(), StoreError> {
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(user_id),
        entity: AuditEntity::User(user_id),
        event_name,
        target: None,
        details,
        created_at: now,
        impersonator_id: None,
    }])
}
