//! Saboteurs of users and tokens, and of the audit log.

use ::accounts::{AuditEntry, AuditFilter, AuditScope, NewAuditEntry, Revocation};
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice};
use storage::StoreError;

use crate::fault_injection::{ReadHook, Saboteur, WriteHook};

/// Lists the revocations of the newest epoch only when a newer one has begun.
pub(crate) struct ListsRevocationsLate;

impl Saboteur for ListsRevocationsLate {
    fn list_revocations_after(
        &self,
        at: &mut ReadHook<'_>,
        epoch: i64,
        limit: usize,
    ) -> Result<Vec<Revocation>, StoreError> {
        let newest = at.tx.auth_epoch()?;
        let mut listed = at.tx.list_revocations_after(epoch, limit)?;
        listed.retain(|kept| kept.epoch < newest);
        Ok(listed)
    }
}

/// Begins each page of the audit log with the newest entry.
pub(crate) struct RestartsTheLog;

impl Saboteur for RestartsTheLog {
    fn list_audit_entries(
        &self,
        at: &mut ReadHook<'_>,
        filter: &AuditFilter,
        _: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
        at.tx.list_audit_entries(filter, None, page)
    }
}

/// Lists the audit log of every entity as if no times were given.
pub(crate) struct IgnoresTimesOfTheLog;

impl Saboteur for IgnoresTimesOfTheLog {
    fn list_audit_entries(
        &self,
        at: &mut ReadHook<'_>,
        filter: &AuditFilter,
        last: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
        let filter = AuditFilter {
            created_after: None,
            created_before: None,
            ..*filter
        };
        at.tx.list_audit_entries(&filter, last, page)
    }
}

/// Lists the audit log of all entities instead of that of one kind.
pub(crate) struct MixesKindsOfTheLog;

impl Saboteur for MixesKindsOfTheLog {
    fn list_audit_entries(
        &self,
        at: &mut ReadHook<'_>,
        filter: &AuditFilter,
        last: Option<AuditEntryId>,
        page: KeysetPage,
    ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
        let mut filter = *filter;
        if matches!(filter.scope, AuditScope::Kind(_)) {
            filter.scope = AuditScope::All;
        }
        at.tx.list_audit_entries(&filter, last, page)
    }
}

/// Keeps only the first of several entries that are written together.
pub(crate) struct CutsTheLog;

impl Saboteur for CutsTheLog {
    fn insert_audit_entries(
        &self,
        at: &mut WriteHook<'_>,
        entries: &[NewAuditEntry],
    ) -> Result<(), StoreError> {
        at.tx.insert_audit_entries(&entries[..entries.len().min(1)])
    }
}
