//! The audit log: entries of a request that acts as another user record the impersonation.

use accounts::{AuditRepositoryWrapper, NewAuditEntry};
use storage::StoreError;

use super::RevocationRecorder;

impl AuditRepositoryWrapper for RevocationRecorder<'_> {
    fn insert_audit_entries(&mut self, entries: &[NewAuditEntry]) -> Result<(), StoreError> {
        let Some(impersonation) = self.impersonation else {
            return self.tx.insert_audit_entries(entries);
        };
        let entries = entries.iter().map(|entry| impersonation.recorded_in(entry));
        self.tx.insert_audit_entries(&entries.collect::<Vec<_>>())
    }
}
