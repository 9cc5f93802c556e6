//! The audit log.

use accounts::{AuditEntity, AuditEntry, AuditQueries, AuditRepository, NewAuditEntry};
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, SortOrder};
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::audit::{AuditRow, NewAuditRow, audit_entries};
use crate::transaction::order_by;

#[for_each_database(dialect = crate::accounts)]
mod database {
    impl ::accounts::AuditQueriesWrapper for WriteTx<'_> {}

    impl AuditQueries for ReadTx<'_> {
        fn list_audit_entries(
            &mut self,
            entity: AuditEntity,
            last: Option<AuditEntryId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
            let (kind, id) = entity.numbers();
            let its = audit_entries::entity_type
                .eq(kind)
                .and(audit_entries::entity_id.eq(id));
            let (first, end) = match page.sort() {
                SortOrder::Ascending => (last, None),
                SortOrder::Descending => (None, last),
            };
            let [first, end] = [first, end].map(|id| id.map(AuditEntryId::get));
            let beyond = audit_entries::id
                .gt(first.unwrap_or(i64::MIN))
                .and(audit_entries::id.lt(end.unwrap_or(i64::MAX)));
            let entries = audit_entries::table.filter(its.and(beyond)).into_boxed();
            let entries = order_by!(entries, page.sort(), audit_entries::id);
            let found =
                self.list::<AuditRow>("list audit entries", entries.limit(page.fetch_limit()))?;
            Ok(KeysetSlice::from_fetched(found, page))
        }
    }

    impl AuditRepository for WriteTx<'_> {
        fn insert_audit_entries(&mut self, new: &[NewAuditEntry]) -> Result<(), StoreError> {
            dialect::insert_audit_entries(self, new.iter().map(NewAuditRow::from).collect())
        }
    }
}
