//! The audit log.

use std::ops::Deref;

use accounts::{AuditEntity, AuditEntry, AuditQueries, AuditRepository, NewAuditEntry};
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, SortOrder, Stretch};
use storage::StoreError;

use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};
use crate::table::Table;

/// The table: entries in the order of their ids.
pub(crate) type Entries = Table<AuditEntryId, AuditEntry>;

impl<S: Deref<Target = State>> AuditQueries for MemoryTx<S> {
    fn list_audit_entries(
        &mut self,
        entity: AuditEntity,
        last: Option<AuditEntryId>,
        asked: KeysetPage,
    ) -> Result<Stretch<AuditEntry>, StoreError> {
        let is_beyond = |id: AuditEntryId| {
            last.is_none_or(|last| match asked.sort() {
                SortOrder::Ascending => id > last,
                SortOrder::Descending => id < last,
            })
        };
        let matches = |entry: &AuditEntry| entry.entity == entity && is_beyond(entry.id);
        Ok(self.0.audit.stretch(matches, asked))
    }
}

impl AuditRepository for MemoryWriteTx<'_> {
    fn insert_audit_entries(&mut self, new: &[NewAuditEntry]) -> Result<(), StoreError> {
        for entry in new.iter().cloned() {
            self.0.audit.insert(|id| AuditEntry {
                id,
                author_id: entry.author_id,
                entity: entry.entity,
                event_name: entry.event_name,
                target: entry.target,
                details: entry.details,
                created_at: entry.created_at,
            });
        }
        Ok(())
    }
}
