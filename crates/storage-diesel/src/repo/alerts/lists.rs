//! Pages of alerts and receipts. A page is made of numbers, which stand in indexes; only its own rows are read whole.

use std::collections::BTreeMap;

use alert_intake::model::{AlertFilter, AlertSummary};
use alert_intake::search::{SLICE_BYTES, Slice};
use diesel::sql_types::{BigInt, Binary, Integer};
use storage::StoreError;

use crate::rows::RowReader;

#[derive(diesel::QueryableByName)]
pub(super) struct NumberRow {
    #[diesel(sql_type = BigInt)]
    pub(super) number: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct IidRow {
    #[diesel(sql_type = BigInt)]
    pub(super) iid: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct KindRow {
    #[diesel(sql_type = Integer)]
    pub(super) status: i32,
    #[diesel(sql_type = Integer)]
    pub(super) severity: i32,
}

#[derive(diesel::QueryableByName)]
pub(super) struct ReachRow {
    #[diesel(sql_type = BigInt)]
    pub(super) last_iid: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) parts: i64,
}

#[derive(diesel::QueryableByName)]
pub(super) struct SliceRow {
    #[diesel(sql_type = BigInt)]
    part: i64,
    #[diesel(sql_type = Integer)]
    slot: i32,
    #[diesel(sql_type = Binary)]
    blocks: Vec<u8>,
}

/// Puts summaries into the order of their numbers in `iids`.
pub(super) fn arrange(iids: &[i64], summaries: Vec<AlertSummary>) -> Vec<AlertSummary> {
    let summaries = summaries.into_iter();
    let mut by_iid: BTreeMap<i64, AlertSummary> = summaries
        .map(|summary| (summary.iid.get(), summary))
        .collect();
    iids.iter().filter_map(|iid| by_iid.remove(iid)).collect()
}

/// The slices by their parts. A part that lacks one of `wanted` slots holds no hit and is left out.
pub(super) fn by_part(
    rows: Vec<SliceRow>,
    wanted: usize,
) -> Result<BTreeMap<i64, Vec<Slice>>, StoreError> {
    let mut parts: BTreeMap<i64, Vec<Slice>> = BTreeMap::new();
    for row in rows {
        let slice: [u8; SLICE_BYTES] = row.blocks.try_into().map_err(|_| {
            let reader = RowReader::new("alert_search", row.part);
            reader.wrong(&format!("slot {} of another length", row.slot))
        })?;
        parts.entry(row.part).or_default().push(slice);
    }
    parts.retain(|_, slices| slices.len() == wanted);
    Ok(parts)
}

/// The pair of status and severity, as rows hold them. A number that no row can hold matches nothing.
pub(super) fn small(row: &KindRow) -> Option<(i16, i16)> {
    Some((row.status.try_into().ok()?, row.severity.try_into().ok()?))
}

/// Whether a filter takes so few alerts that a search among them reads them all.
pub(super) fn is_few(filter: &AlertFilter, count: i64) -> bool {
    !super::statements::takes_all(filter) && count < api_conventions::page::Total::COUNT_LIMIT
}

/// Writes the lists for one connection type.
macro_rules! lists {
    ($connection:ty) => {
        fn number(connection: &mut $connection, text: String) -> QueryResult<i64> {
            let row: NumberRow = diesel::sql_query(text).get_result(connection)?;
            Ok(row.number)
        }

        fn list_alerts(
            connection: &mut $connection,
            filter: &AlertFilter,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            if let Some(text) = &filter.search {
                return search_alerts(connection, filter, text, page);
            }
            let failed = |e| from_diesel("list alerts", e);
            let is_indexed = statements::is_indexed(filter.order_by);
            let limit = if is_indexed {
                Total::COUNT_LIMIT
            } else {
                EXAMINED + 1
            };
            let count = number(connection, statements::count(filter, limit))
                .map_err(|e| from_diesel("count alerts", e))?;
            if !is_indexed && count > EXAMINED {
                return Err(too_much());
            }
            let window = Window::of(page, count.min(Total::COUNT_LIMIT));
            let iids = page_of_iids(connection, filter, window).map_err(failed)?;
            let summaries = alerts_at(connection, filter.project_id, &iids)?;
            Ok(window.page(summaries))
        }

        /// The numbers of a page, in the order of the list.
        fn page_of_iids(
            connection: &mut $connection,
            filter: &AlertFilter,
            window: Window,
        ) -> QueryResult<Vec<i64>> {
            if window.is_empty() {
                return Ok(Vec::new());
            }
            let (skip, take) = (window.skip, window.take);
            let direction = window.direction(filter.sort);
            let text = if !statements::is_indexed(filter.order_by) {
                statements::sorted(filter, direction, skip, take)
            } else if statements::takes_all(filter) && filter.order_by == AlertOrder::Created {
                statements::stored(filter, direction, skip, take)
            } else {
                let kinds: Vec<KindRow> =
                    diesel::sql_query(statements::kinds(filter)).load(connection)?;
                let kinds: Vec<(i16, i16)> = kinds.iter().filter_map(small).collect();
                if kinds.is_empty() {
                    return Ok(Vec::new());
                }
                statements::merged(filter, &kinds, batch::sorted_list, (direction, skip, take))
            };
            let rows: Vec<IidRow> = diesel::sql_query(text).load(connection)?;
            Ok(window.in_order(rows.into_iter().map(|row| row.iid).collect()))
        }

        /// The alerts with these numbers, in their order.
        fn alerts_at(
            connection: &mut $connection,
            project: ProjectId,
            iids: &[i64],
        ) -> Result<Vec<AlertSummary>, StoreError> {
            let rows: Vec<AlertRow> = alert_table::table
                .filter(alert_table::project_id.eq(project.get()))
                .filter(alert_table::iid.eq_any(iids))
                .select(AlertRow::as_select())
                .load(connection)
                .map_err(|e| from_diesel("list alerts", e))?;
            let summaries: Result<Vec<AlertSummary>, StoreError> =
                rows.into_iter().map(AlertRow::read).collect();
            Ok(arrange(iids, summaries?))
        }

        fn search_alerts(
            connection: &mut $connection,
            filter: &AlertFilter,
            text: &str,
            page: OffsetPage,
        ) -> Result<Page<AlertSummary>, StoreError> {
            let failed = |e| from_diesel("search alerts", e);
            let mut hits = Hits::new(filter, text, page);
            let few = statements::count(filter, Total::COUNT_LIMIT);
            if is_few(filter, number(connection, few).map_err(failed)?) {
                let rows = diesel::sql_query(statements::texts(filter)).load(connection);
                hits.examine(rows.map_err(failed)?);
            } else {
                look_through(connection, filter, &mut hits)?;
            }
            let found = hits.page()?;
            Ok(Page {
                items: alerts_at(connection, filter.project_id, &found.iids)?,
                has_next: found.has_next,
                total: found.total,
            })
        }

        /// Looks at all alerts that may be hits, in the direction of the list: in the parts that are prepared at
        /// those of some blocks, beyond them at every one.
        fn look_through(
            connection: &mut $connection,
            filter: &AlertFilter,
            hits: &mut Hits,
        ) -> Result<(), StoreError> {
            let reach: ReachRow = diesel::sql_query(statements::reach(filter))
                .get_result(connection)
                .map_err(|e| from_diesel("search alerts", e))?;
            let rest = (first_iid(reach.parts), reach.last_iid);
            let rest = if rest.0 <= rest.1 {
                vec![rest]
            } else {
                Vec::new()
            };
            let mut parts: Vec<i64> = (0..reach.parts).collect();
            if filter.sort == SortOrder::Descending {
                parts.reverse();
                if !look_at(connection, filter, hits, rest.clone())? {
                    return Ok(());
                }
            }
            for parts in parts.chunks(PARTS_AT_ONCE) {
                let ranges = ranges_of(connection, filter, hits, parts)?;
                if !look_at(connection, filter, hits, ranges)? {
                    return Ok(());
                }
            }
            if filter.sort == SortOrder::Ascending {
                look_at(connection, filter, hits, rest)?;
            }
            Ok(())
        }

        /// The numbers that may be hits in some parts, ascending.
        fn ranges_of(
            connection: &mut $connection,
            filter: &AlertFilter,
            hits: &Hits,
            parts: &[i64],
        ) -> Result<Vec<(i64, i64)>, StoreError> {
            let mut ascending = parts.to_vec();
            ascending.sort_unstable();
            let slots = hits.term.slots();
            if slots.is_empty() {
                let whole = ascending.into_iter().flat_map(|part| candidates(part, &[]));
                return Ok(whole.collect());
            }
            let rows: Vec<SliceRow> = diesel::sql_query(statements::slices(filter, parts, slots))
                .load(connection)
                .map_err(|e| from_diesel("search alerts", e))?;
            let slices = by_part(rows, slots.len())?.into_iter();
            Ok(slices
                .flat_map(|(part, slices)| candidates(part, &slices))
                .collect())
        }

        /// Looks at the alerts with numbers in these ranges. Whether the search goes on.
        fn look_at(
            connection: &mut $connection,
            filter: &AlertFilter,
            hits: &mut Hits,
            ranges: Vec<(i64, i64)>,
        ) -> Result<bool, StoreError> {
            for group in groups(ranges, filter.sort) {
                if !hits.want(group.iter().copied().map(width).sum()) {
                    return Ok(false);
                }
                let rows =
                    diesel::sql_query(statements::texts_between(filter, &group, batch::in_ranges));
                let rows = rows.load(connection);
                hits.examine(rows.map_err(|e| from_diesel("search alerts", e))?);
            }
            Ok(true)
        }

        fn list_receipts(
            connection: &mut $connection,
            project: ProjectId,
            page: OffsetPage,
        ) -> QueryResult<(Window, Vec<ReceiptRow>)> {
            let ids = alert_receipts::table
                .filter(alert_receipts::project_id.eq(project.get()))
                .select(alert_receipts::id);
            let count: i64 = CappedCount(ids.limit(Total::COUNT_LIMIT)).get_result(connection)?;
            let window = Window::of(page, count);
            let (skip, take) = (window.skip, window.take);
            let ids: Vec<i64> = match window.direction(SortOrder::Descending) {
                SortOrder::Ascending => ids
                    .order(alert_receipts::id.asc())
                    .offset(skip)
                    .limit(take)
                    .load(connection)?,
                SortOrder::Descending => ids
                    .order(alert_receipts::id.desc())
                    .offset(skip)
                    .limit(take)
                    .load(connection)?,
            };
            let rows = alert_receipts::table
                .filter(alert_receipts::project_id.eq(project.get()))
                .filter(alert_receipts::id.eq_any(ids))
                .order(alert_receipts::id.desc())
                .select(ReceiptRow::as_select())
                .load(connection)?;
            Ok((window, rows))
        }
    };
}

pub(super) use lists;
