//! The audit log: entries of a request record its origin, such as the address of the client.

use accounts::{AuditOrigin, AuditRepositoryWrapper, NewAuditEntry};
use storage::StoreError;

use super::RevocationRecorder;

impl AuditRepositoryWrapper for RevocationRecorder<'_> {
    fn insert_audit_entries(&mut self, entries: &[NewAuditEntry]) -> Result<(), StoreError> {
        if self.origin == AuditOrigin::default() {
            return self.tx.insert_audit_entries(entries);
        }
        let entries = entries.iter().map(|entry| self.origin.recorded_in(entry));
        self.tx.insert_audit_entries(&entries.collect::<Vec<_>>())
    }
}
