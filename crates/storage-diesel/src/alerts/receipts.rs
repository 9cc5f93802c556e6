//! Lists of receipts.

use alert_intake::model::Receipt;
use api_conventions::ids::{IntegrationId, ProjectId, ReceiptId};
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::receipts::{ReceiptRow, alert_receipts};
use crate::transaction::{order_by, row_limit};

#[for_each_database]
mod database {
    impl ReadTx<'_> {
        pub(in crate::alerts) fn page_of_receipts(
            &mut self,
            project: ProjectId,
            page: OffsetPage,
        ) -> Result<Page<Receipt>, StoreError> {
            let of_project = alert_receipts::project_id.eq(project.get());
            let all = || {
                let ids = alert_receipts::table.select(alert_receipts::id);
                ids.filter(of_project).into_boxed()
            };
            self.page::<ReceiptRow, _, _, _>(
                "list receipts",
                page,
                SortOrder::Descending,
                all,
                |ids, sort| order_by!(ids, sort, alert_receipts::id),
                |ids| {
                    let rows = alert_receipts::table.filter(of_project);
                    rows.filter(alert_receipts::id.eq_any(ids))
                },
            )
        }

        pub(in crate::alerts) fn receipts_after(
            &mut self,
            project: ProjectId,
            beyond: Option<ReceiptId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<Receipt>, StoreError> {
            let of_project = alert_receipts::project_id.eq(project.get());
            let mut rows = alert_receipts::table.filter(of_project).into_boxed();
            if let Some(last) = beyond.map(ReceiptId::get) {
                rows = match page.sort() {
                    SortOrder::Ascending => rows.filter(alert_receipts::id.gt(last)),
                    SortOrder::Descending => rows.filter(alert_receipts::id.lt(last)),
                };
            }
            let rows = order_by!(rows, page.sort(), alert_receipts::id);
            let found = self.list::<ReceiptRow>("list receipts", rows.limit(page.fetch_limit()))?;
            Ok(KeysetSlice::from_fetched(found, page))
        }
    }

    impl WriteTx<'_> {
        pub(in crate::alerts) fn refused_receipts(
            &mut self,
            endpoint: IntegrationId,
            since: Timestamp,
            limit: usize,
        ) -> Result<Vec<ReceiptId>, StoreError> {
            // The condition on `refusal` is that of the partial index, which contains no other receipts.
            let refused = alert_receipts::table
                .filter(alert_receipts::refusal.is_not_null())
                .filter(alert_receipts::integration_id.eq(endpoint.get()))
                .filter(alert_receipts::received_at.gt(since.as_micros()))
                .select(alert_receipts::id)
                .order((
                    alert_receipts::received_at.desc(),
                    alert_receipts::id.desc(),
                ))
                .limit(row_limit(limit));
            let ids: Vec<i64> = self.values("list rejected deliveries", refused)?;
            Ok(ids.into_iter().map(ReceiptId::new).collect())
        }
    }
}
