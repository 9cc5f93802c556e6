//! The audit log.

use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, Stretch};
use storage::StoreError;

use crate::model::{AuditEntity, AuditEntry, NewAuditEntry};

/// What a transaction of either kind can tell about the audit log.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait AuditQueries {
    /// A stretch of the entries of an entity, in the order of their ids: those beyond `last` in the direction of the page,
    /// or from its beginning. Nobody counts them.
    fn list_audit_entries(
        &mut self,
        entity: AuditEntity,
        last: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<Stretch<AuditEntry>, StoreError>;
}

/// What a write transaction can add to the audit log. Nothing in it is changed or deleted.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(insert_audit_entries))]
pub trait AuditRepository: AuditQueries {
    /// Writes entries, in this order. What they name need not exist.
    fn insert_audit_entries(&mut self, entries: &[NewAuditEntry]) -> Result<(), StoreError>;
}
