//! The audit log.

use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice};
use storage::StoreError;

use crate::model::{AuditEntity, AuditEntry, NewAuditEntry};

/// Queries for the audit log, in a transaction of either kind.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::queries]
pub trait AuditQueries {
    /// Lists one keyset page of an entity's entries, in id order: the entries beyond `last` in the direction of the
    /// page, or from its beginning. Entries are not counted.
    fn list_audit_entries(
        &mut self,
        entity: AuditEntity,
        last: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError>;
}

/// Writes to the audit log. Entries are never updated or deleted.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the trait documents the errors of all methods"
)]
#[storage::repository(keeps(insert_audit_entries))]
pub trait AuditRepository: AuditQueries {
    /// Inserts entries in this order. The entities they name need not exist.
    fn insert_audit_entries(&mut self, entries: &[NewAuditEntry]) -> Result<(), StoreError>;
}
