//! Creation and revocation of invitations.

use api_conventions::ids::{InvitationId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AuditDetails, AuditEntity, AuditEventName, AuditTarget, EmailError, Invitation, InvitedRole,
    NewAuditEntry, NewInvitation, TokenPlace, Username, UsernameError, check_email,
};
use crate::store::{AuditRepository, InvitationRepository};

/// Days for which an invitation is valid unless others are requested.
pub const DEFAULT_DAYS: i64 = 7;

/// Most days for which an invitation is valid.
pub const MAX_DAYS: i64 = 30;

const DAY_SECONDS: i64 = 86_400;

/// Request to create an invitation.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CreateInvitation {
    /// Administrator who creates it; `None` for the command line.
    pub creator_id: Option<UserId>,
    /// Email address that the form suggests.
    pub email: Option<String>,
    /// Username that the form suggests.
    pub username: Option<String>,
    /// Role that the person gets. The caller has checked that the place exists.
    pub role: Option<InvitedRole>,
    /// Days for which it is valid: 1 to [`MAX_DAYS`].
    pub days: i64,
    /// Digest of the secret. The caller generates the secret and shows it once.
    pub digest: SecretDigest,
    /// Current time.
    pub now: Timestamp,
}

impl CreateInvitation {
    /// Creates a request for an invitation without suggestions and role, which is valid for [`DEFAULT_DAYS`].
    pub fn new(creator_id: Option<UserId>, digest: SecretDigest, now: Timestamp) -> Self {
        Self {
            creator_id,
            email: None,
            username: None,
            role: None,
            days: DEFAULT_DAYS,
            digest,
            now,
        }
    }
}

/// Reasons to refuse an invitation. Nothing is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CreateInvitationError {
    /// The number of days is too small or too large.
    #[error("an invitation is valid for 1 to {MAX_DAYS} days")]
    Days,
    /// The suggested email address is invalid.
    #[error(transparent)]
    Email(#[from] EmailError),
    /// The suggested username is invalid.
    #[error(transparent)]
    Username(#[from] UsernameError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates an invitation, and records it in the audit log of the instance.
///
/// # Errors
/// See [`CreateInvitationError`].
pub fn create_invitation<R: InvitationRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    request: &CreateInvitation,
) -> Result<Invitation, CreateInvitationError> {
    if !(1..=MAX_DAYS).contains(&request.days) {
        return Err(CreateInvitationError::Days);
    }
    request.email.as_deref().map(check_email).transpose()?;
    request
        .username
        .as_deref()
        .map(Username::parse)
        .transpose()?;
    let expires_at = request.now.plus_seconds(request.days * DAY_SECONDS);
    let id = repos.insert_invitation(&NewInvitation {
        creator_id: request.creator_id,
        email: request.email.clone(),
        username: request.username.clone(),
        role: request.role,
        digest: request.digest,
        created_at: request.now,
        expires_at,
    })?;
    let invitation = repos
        .find_invitation(id)?
        .ok_or_else(|| StoreError::inconsistent("invitations", id, "the new row does not exist"))?;
    let by = InvitationActor {
        id: request.creator_id,
        now: request.now,
    };
    let event = AuditEventName::InvitationCreated;
    record_invitation(repos, event, &invitation, None, by)?;
    Ok(invitation)
}

/// Author and time of a change to an invitation.
#[derive(Debug, Clone, Copy)]
pub struct InvitationActor {
    /// Author; `None` for the command line.
    pub id: Option<UserId>,
    /// Current time.
    pub now: Timestamp,
}

/// Revokes an invitation, and records it in the audit log of the instance. Returns `false` if there is no such invitation:
/// it may have been used or revoked.
///
/// # Errors
/// Failures of the store.
pub fn revoke_invitation<R: InvitationRepository + AuditRepository + ?Sized>(
    repos: &mut R,
    id: InvitationId,
    by: InvitationActor,
) -> Result<bool, StoreError> {
    let Some(invitation) = repos.find_invitation(id)? else {
        return Ok(false);
    };
    if !repos.delete_invitation(id)? {
        return Ok(false);
    }
    let event = AuditEventName::InvitationRevoked;
    record_invitation(repos, event, &invitation, None, by)?;
    Ok(true)
}

/// Records an event of an invitation in the audit log of the instance.
///
/// # Errors
/// Failures of the store.
pub fn record_invitation<R: AuditRepository + ?Sized>(
    repos: &mut R,
    event_name: AuditEventName,
    invitation: &Invitation,
    target: Option<AuditTarget>,
    by: InvitationActor,
) -> Result<(), StoreError> {
    let (id, expires_at) = (invitation.id.to_string(), invitation.expires_at.to_string());
    let mut fields = vec![
        ("invitation_id", &*id),
        ("expires_at", &*expires_at),
        ("email", invitation.email.as_deref().unwrap_or_default()),
        (
            "username",
            invitation.username.as_deref().unwrap_or_default(),
        ),
    ];
    let role = invitation.role.map(|role| {
        let (_, place) = role.place.numbers();
        (
            place.to_string(),
            role.level.number().to_string(),
            role.place,
        )
    });
    if let Some((place, level, kind)) = &role {
        let name = match kind {
            TokenPlace::Project(_) => "project_id",
            TokenPlace::Group(_) => "group_id",
        };
        fields.extend([(name, &**place), ("access_level", &**level)]);
    }
    repos.insert_audit_entries(&[NewAuditEntry {
        author_id: by.id,
        entity: AuditEntity::Instance,
        event_name,
        target,
        details: AuditDetails::new(&fields),
        created_at: by.now,
        impersonator_id: None,
    }])
}
