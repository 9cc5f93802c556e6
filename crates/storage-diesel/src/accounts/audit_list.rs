//! Lists of audit entries: the index that serves a filter, and the end of the examined part.
//!
//! Indexes have the entries of each entity, of each kind of entity and of all entities in the order of their ids, so
//! lists without other conditions are exact. Ids and times both increase, but a clock may be set back, so times cannot
//! be replaced by a range of ids. An index has the times instead: if few entries are between the given times, these are
//! read and sorted by id. Otherwise the conditions are examined row by row among the first entries in the order of the
//! list, beyond the last entry of the previous page; a list that these do not decide is refused.

use accounts::{AuditEntry, AuditFilter, AuditScope};
use api_conventions::ids::AuditEntryId;
use api_conventions::page::{KeysetPage, KeysetSlice, OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::{StoreError, StoreErrorKind};
use storage_diesel_macros::for_each_database;

use super::limits::EXAMINED;
use super::rows::audit::{AuditRow, audit_entries};
use crate::transaction::order_by;
use crate::window::Window;

const LIST: &str = "list audit entries";

/// Order of offset pages.
const NEWEST_FIRST: SortOrder = SortOrder::Descending;

fn too_much() -> StoreError {
    StoreError::new(StoreErrorKind::TooMuchWork, LIST)
        .with_detail(format!("more than {EXAMINED} audit entries"))
}

/// Start of a page: the last entry of the previous one, and the direction.
#[derive(Clone, Copy)]
struct AuditListStart {
    last: Option<i64>,
    sort: SortOrder,
}

/// Access path of a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AuditPath {
    /// Reads the index of the scope to its end.
    Scope,
    /// Reads the index of the scope up to this id, the first that may not be examined.
    ScopeBefore(i64),
    /// Reads the index of times, which has few entries between those of the filter.
    Times,
}

impl AuditPath {
    /// True if the list may go on beyond the entries that were examined.
    fn is_undecided(self, has_next: bool) -> bool {
        matches!(self, Self::ScopeBefore(_)) && !has_next
    }
}

/// True if an index decides every condition.
fn is_indexed(filter: &AuditFilter) -> bool {
    filter.author_id.is_none() && !is_between_times(filter)
}

fn is_between_times(filter: &AuditFilter) -> bool {
    filter.created_after.is_some() || filter.created_before.is_some()
}

/// Returns the bounds of the times, both inclusive.
fn times(filter: &AuditFilter) -> (i64, i64) {
    (
        filter.created_after.map_or(i64::MIN, Timestamp::as_micros),
        filter.created_before.map_or(i64::MAX, Timestamp::as_micros),
    )
}

#[for_each_database]
mod database {
    type Db = crate::transaction::Backend<ReadTx<'static>>;
    type Ids = audit_entries::BoxedQuery<'static, Db, BigInt>;

    impl ReadTx<'_> {
        /// Returns a keyset page of the matching entries.
        pub(in crate::accounts) fn slice_of_audit_entries(
            &mut self,
            filter: &AuditFilter,
            last: Option<AuditEntryId>,
            page: KeysetPage,
        ) -> Result<KeysetSlice<AuditEntry>, StoreError> {
            let start = AuditListStart {
                last: last.map(AuditEntryId::get),
                sort: page.sort(),
            };
            let path = self.audit_path(filter, start)?;
            let ids = matching(filter, path, start);
            let ids = ordered(ids, path, start.sort).limit(page.fetch_limit());
            let ids: Vec<i64> = self.values(LIST, ids)?;
            let slice = KeysetSlice::from_fetched(self.audit_entries_of(&ids)?, page);
            if path.is_undecided(slice.has_next) {
                return Err(too_much());
            }
            Ok(slice)
        }

        /// Returns an offset page of the matching entries, newest first.
        pub(in crate::accounts) fn page_of_audit_entries(
            &mut self,
            filter: &AuditFilter,
            page: OffsetPage,
        ) -> Result<Page<AuditEntry>, StoreError> {
            let start = AuditListStart {
                last: None,
                sort: NEWEST_FIRST,
            };
            let path = self.audit_path(filter, start)?;
            let count = self.count(LIST, matching(filter, path, start))?;
            let window = match path {
                AuditPath::ScopeBefore(_) => Window::of_some(page, count).ok_or_else(too_much)?,
                AuditPath::Scope | AuditPath::Times => Window::of(page, count),
            };
            if window.is_empty() {
                return Ok(window.page(Vec::new()));
            }
            let ids = matching(filter, path, start);
            let ids = ordered(ids, path, window.direction(start.sort));
            let ids = self.keys(LIST, window, ids)?;
            let page = window.page(self.audit_entries_of(&ids)?);
            if path.is_undecided(page.has_next) {
                return Err(too_much());
            }
            Ok(page)
        }

        /// Returns the entries with these ids, in this order.
        fn audit_entries_of(&mut self, ids: &[i64]) -> Result<Vec<AuditEntry>, StoreError> {
            let rows = audit_entries::table.filter(audit_entries::id.eq_any(ids.to_vec()));
            self.list_in_order::<AuditRow>(LIST, ids, rows)
        }

        /// Chooses the access path of a list.
        fn audit_path(
            &mut self,
            filter: &AuditFilter,
            start: AuditListStart,
        ) -> Result<AuditPath, StoreError> {
            if is_indexed(filter) {
                return Ok(AuditPath::Scope);
            }
            if is_between_times(filter) && self.are_few_between_times(filter)? {
                return Ok(AuditPath::Times);
            }
            let all_times = AuditFilter {
                scope: filter.scope,
                ..AuditFilter::default()
            };
            let ids = matching(&all_times, AuditPath::Scope, start);
            let ids = ordered(ids, AuditPath::Scope, start.sort);
            let end = self.value_if(LIST, ids.offset(EXAMINED).limit(1))?;
            Ok(end.map_or(AuditPath::Scope, AuditPath::ScopeBefore))
        }

        /// True if no more entries are between the times of the filter than one request may examine.
        fn are_few_between_times(&mut self, filter: &AuditFilter) -> Result<bool, StoreError> {
            let (after, before) = times(filter);
            let beyond = audit_entries::table
                .filter(audit_entries::created_at.between(after, before))
                .select(audit_entries::created_at)
                .order(audit_entries::created_at)
                .offset(EXAMINED)
                .limit(1);
            let beyond: Option<i64> = self.value_if(LIST, beyond)?;
            Ok(beyond.is_none())
        }
    }

    /// Returns the ids of the matching entries beyond the start, not ordered yet. Additions of 0 keep the planner from
    /// an index that the path does not use.
    fn matching(filter: &AuditFilter, path: AuditPath, start: AuditListStart) -> Ids {
        let ids = audit_entries::table
            .select(audit_entries::id)
            .into_boxed::<Db>();
        let mut ids = between_ids(ids, path, start);
        if let Some(author) = filter.author_id {
            ids = ids.filter(audit_entries::author_id.eq(author.get()));
        }
        if path == AuditPath::Times {
            return of_times(ids, filter);
        }
        ids = match filter.scope {
            AuditScope::All => ids,
            AuditScope::Kind(kind) => ids.filter(audit_entries::entity_type.eq(kind.number())),
            AuditScope::Entity(entity) => {
                let (kind, id) = entity.numbers();
                ids.filter(audit_entries::entity_type.eq(kind))
                    .filter(audit_entries::entity_id.eq(id))
            }
        };
        if is_between_times(filter) {
            let (after, before) = times(filter);
            ids = ids.filter((audit_entries::created_at + 0_i64).between(after, before));
        }
        ids
    }

    /// Adds the conditions of a list that reads the index of times.
    fn of_times(ids: Ids, filter: &AuditFilter) -> Ids {
        let (after, before) = times(filter);
        let ids = ids.filter(audit_entries::created_at.between(after, before));
        match filter.scope {
            AuditScope::All => ids,
            AuditScope::Kind(kind) => {
                ids.filter((audit_entries::entity_type + 0_i16).eq(kind.number()))
            }
            AuditScope::Entity(entity) => {
                let (kind, id) = entity.numbers();
                ids.filter((audit_entries::entity_type + 0_i16).eq(kind))
                    .filter((audit_entries::entity_id + 0_i64).eq(id))
            }
        }
    }

    /// Adds the bounds of ids: the last entry of the previous page, and the first that may not be examined.
    fn between_ids(ids: Ids, path: AuditPath, start: AuditListStart) -> Ids {
        let end = match path {
            AuditPath::ScopeBefore(end) => Some(end),
            AuditPath::Scope | AuditPath::Times => None,
        };
        let (above, below) = match start.sort {
            SortOrder::Ascending => (start.last, end),
            SortOrder::Descending => (end, start.last),
        };
        let [above, below] = [above.unwrap_or(i64::MIN), below.unwrap_or(i64::MAX)];
        if path == AuditPath::Times {
            let id = || audit_entries::id + 0_i64;
            return ids.filter(id().gt(above)).filter(id().lt(below));
        }
        ids.filter(audit_entries::id.gt(above))
            .filter(audit_entries::id.lt(below))
    }

    /// Sorts the ids by the index of the path, or in memory.
    fn ordered(ids: Ids, path: AuditPath, sort: SortOrder) -> Ids {
        if path == AuditPath::Times {
            order_by!(ids, sort, (audit_entries::id + 0_i64))
        } else {
            order_by!(ids, sort, audit_entries::id)
        }
    }
}
