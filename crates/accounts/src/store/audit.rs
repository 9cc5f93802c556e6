//! The audit log.

use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use storage::StoreError;

use crate::model::{AuditEntry, AuditFilter, NewAuditEntry};

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
    /// Lists one keyset page of the matching entries, in id order: the entries beyond `last` in the direction of the
    /// page, or from its beginning. Entries are not counted.
    ///
    /// Fails with [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) if the matching entries cannot be found within a
    /// bounded number of examined rows. Lists of an entity, of a kind or of all entities without other conditions never
    /// do.
    fn list_audit_entries(
        &mut self,
        filter: &AuditFilter,
        last: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError>;

    /// Lists one page of the matching entries, newest first. Fails like [`Self::list_audit_entries`].
    fn list_audit_entries_by_page(
        &mut self,
        filter: &AuditFilter,
        page: OffsetPage,
    ) -> Result<Page<AuditEntry>, StoreError>;

    /// Finds an entry by its id.
    fn find_audit_entry(&mut self, id: AuditEntryId) -> Result<Option<AuditEntry>, StoreError>;
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
