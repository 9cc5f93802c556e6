//! The audit log.

use accounts::{AuditEntry, AuditFilter, AuditQueries, AuditRepository, NewAuditEntry};
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page};
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::audit::{AuditRow, NewAuditRow, audit_entries};

#[for_each_database(dialect = crate::accounts)]
mod database {
    impl ::accounts::AuditQueriesWrapper for WriteTx<'_> {}

    impl AuditQueries for ReadTx<'_> {
        fn list_audit_entries(
            &mut self,
            filter: &AuditFilter,
            last: Option<AuditEntryId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
            self.slice_of_audit_entries(filter, last, page)
        }

        fn list_audit_entries_by_page(
            &mut self,
            filter: &AuditFilter,
            page: OffsetPage,
        ) -> Result<Page<AuditEntry>, StoreError> {
            self.page_of_audit_entries(filter, page)
        }

        fn find_audit_entry(&mut self, id: AuditEntryId) -> Result<Option<AuditEntry>, StoreError> {
            self.find::<AuditRow>("find an audit entry", audit_entries::table.find(id.get()))
        }
    }

    impl AuditRepository for WriteTx<'_> {
        fn insert_audit_entries(&mut self, new: &[NewAuditEntry]) -> Result<(), StoreError> {
            dialect::insert_audit_entries(self, new.iter().map(NewAuditRow::from).collect())
        }
    }
}
