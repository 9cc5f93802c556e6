//! Audit entries of access tokens, in the log of the user for whom the token acts, or of the token's project or group.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AccessToken, AuditDetails, AuditEntity, AuditEventName, NewAuditEntry, TokenKind,
};
use crate::store::AuditRepository;

/// Author and time of a change to a token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Change {
    /// Author; `None` for the command line and for the server itself.
    pub(super) author_id: Option<UserId>,
    /// Current time.
    pub(super) now: Timestamp,
}

/// Inserts the entry of a change to this token.
pub(super) fn record<R: AuditRepository + ?Sized>(
    repos: &mut R,
    event_name: AuditEventName,
    token: &AccessToken,
    change: Change,
) -> Result<(), StoreError> {
    let entity = match token.kind {
        TokenKind::Personal | TokenKind::Impersonation => AuditEntity::User(token.user_id),
        TokenKind::Project(id) => AuditEntity::Project(id),
        TokenKind::Group(id) => AuditEntity::Group(id),
    };
    repos.insert_audit_entries(&[NewAuditEntry {
        author_id: change.author_id,
        entity,
        event_name,
        target: None,
        details: AuditDetails::new(&[
            ("token_id", &token.id.to_string()),
            ("name", &token.name),
            ("kind", token.kind.as_str()),
            ("scopes", &token.scopes.to_string()),
            ("expires_at", &token.expires_on.to_string()),
        ]),
        created_at: change.now,
        impersonator_id: None,
    }])
}
