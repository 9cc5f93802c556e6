//! Exports of the audit log, which are recorded in it.

use accounts::{AuditDetails, AuditEntity, AuditEventName, AuditFilter, AuditScope, NewAuditEntry};
use api_conventions::time::Timestamp;
use storage::StoreError;

use super::groups::Actor;
use crate::database::WriteTransaction;

/// Records that an actor exports the entries that match a filter: in the log of the entity, or of the instance if the
/// entries are of several.
///
/// # Errors
/// Failures of the store.
pub fn note_audit_export(
    tx: &mut dyn WriteTransaction,
    filter: &AuditFilter,
    actor: Actor,
) -> Result<(), StoreError> {
    let entity = match filter.scope {
        AuditScope::Entity(entity) => entity,
        AuditScope::All | AuditScope::Kind(_) => AuditEntity::Instance,
    };
    let time = |time: Option<Timestamp>| time.map(|time| time.to_string()).unwrap_or_default();
    let (after, before) = (time(filter.created_after), time(filter.created_before));
    let author = filter
        .author_id
        .map(|id| id.to_string())
        .unwrap_or_default();
    tx.insert_audit_entries(&[NewAuditEntry {
        author_id: Some(actor.id),
        entity,
        event_name: AuditEventName::AuditExported,
        target: None,
        details: AuditDetails::new(&[
            ("created_after", &after),
            ("created_before", &before),
            ("only_author_id", &author),
        ]),
        created_at: actor.now,
        impersonator_id: None,
    }])
}
