//! The transaction passed to closures.

use std::ops::ControlFlow;
use std::time::Instant;

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use redb::{Key, ReadableTable as _, WriteTransaction};
use serde::Serialize;
use serde::de::DeserializeOwned;
use storage::{StoreError, StoreErrorKind};

use crate::tables::{COUNTERS, KeyRange, RowTable, Tables, failed};

/// Transaction passed to closures. A [`redb::ReadTransaction`] gives it the queries, a [`redb::WriteTransaction`] also
/// the changes.
pub struct RedbTx<'t, T> {
    tx: &'t T,
    /// Time by which a read must end.
    until: Option<Instant>,
}

impl<'t, T> RedbTx<'t, T> {
    pub(crate) fn new(tx: &'t T, until: Option<Instant>) -> Self {
        Self { tx, until }
    }
}

impl<T> std::fmt::Debug for RedbTx<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RedbTx").finish_non_exhaustive()
    }
}

impl<T: Tables> RedbTx<'_, T> {
    /// Returns the row under a key.
    pub(crate) fn get<K: Key + 'static, R: DeserializeOwned>(
        &self,
        rows: &RowTable<K, R>,
        key: K::SelfType<'_>,
    ) -> Result<Option<R>, StoreError> {
        let table = self.tx.open(rows.definition()).map_err(failed(rows.name))?;
        let found = table.get(key).map_err(failed(rows.name))?;
        found.map(|bytes| rows.decode(bytes.value())).transpose()
    }

    /// Visits rows in the order of their keys, until `visit` breaks or the deadline of the read passes.
    pub(crate) fn scan<'k, K: Key + 'static, R: DeserializeOwned>(
        &self,
        rows: &RowTable<K, R>,
        keys: KeyRange<K::SelfType<'k>>,
        sort: SortOrder,
        mut visit: impl FnMut(R) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let table = self.tx.open(rows.definition()).map_err(failed(rows.name))?;
        let mut range = table
            .range::<K::SelfType<'k>>(keys)
            .map_err(failed(rows.name))?;
        loop {
            let next = match sort {
                SortOrder::Ascending => range.next(),
                SortOrder::Descending => range.next_back(),
            };
            let Some(next) = next else {
                return Ok(());
            };
            if self.until.is_some_and(|until| Instant::now() > until) {
                return Err(StoreError::new(StoreErrorKind::Overloaded, rows.name));
            }
            let (_, bytes) = next.map_err(failed(rows.name))?;
            if visit(rows.decode(bytes.value())?)?.is_break() {
                return Ok(());
            }
        }
    }

    /// Returns the first rows of a range, at most `limit`.
    pub(crate) fn first<K: Key + 'static, R: DeserializeOwned>(
        &self,
        rows: &RowTable<K, R>,
        keys: KeyRange<K::SelfType<'_>>,
        sort: SortOrder,
        limit: usize,
    ) -> Result<Vec<R>, StoreError> {
        let mut found = Vec::new();
        if limit > 0 {
            self.scan(rows, keys, sort, |row| {
                found.push(row);
                Ok(break_if(found.len() == limit))
            })?;
        }
        Ok(found)
    }

    /// Returns a page of the rows of a range that `is_match` keeps.
    pub(crate) fn page<K: Key + 'static, R: DeserializeOwned>(
        &self,
        rows: &RowTable<K, R>,
        keys: KeyRange<K::SelfType<'_>>,
        sort: SortOrder,
        page: OffsetPage,
        is_match: impl Fn(&R) -> bool,
    ) -> Result<Page<R>, StoreError> {
        let fetched = page.offset()..page.offset().saturating_add(page.fetch_limit());
        let (mut items, mut count) = (Vec::new(), 0);
        self.scan(rows, keys, sort, |row| {
            if is_match(&row) {
                if fetched.contains(&count) {
                    items.push(row);
                }
                count += 1;
            }
            Ok(break_if(count >= fetched.end.max(Total::COUNT_LIMIT)))
        })?;
        Ok(Page::from_fetched(items, page, count.unsigned_abs()))
    }
}

impl RedbTx<'_, WriteTransaction> {
    /// Inserts or replaces the row under a key.
    pub(crate) fn put<K: Key + 'static, R: Serialize>(
        &self,
        rows: &RowTable<K, R>,
        key: K::SelfType<'_>,
        row: &R,
    ) -> Result<(), StoreError> {
        let broken =
            |error| StoreError::new(StoreErrorKind::Internal, rows.name).with_source(error);
        let bytes = serde_json::to_vec(row).map_err(broken)?;
        let mut table = self.tx.open(rows.definition()).map_err(failed(rows.name))?;
        let old = table.insert(key, bytes.as_slice());
        old.map(drop).map_err(failed(rows.name))
    }

    /// Deletes the row under a key.
    pub(crate) fn remove<K: Key + 'static, R>(
        &self,
        rows: &RowTable<K, R>,
        key: K::SelfType<'_>,
    ) -> Result<(), StoreError> {
        let mut table = self.tx.open(rows.definition()).map_err(failed(rows.name))?;
        let old = table.remove(key);
        old.map(drop).map_err(failed(rows.name))
    }

    /// Reserves `count` numbers and returns the first. Only one write transaction runs at a time, so no other can
    /// reserve numbers in between.
    pub(crate) fn reserve(&self, name: &str, project: i64, count: i64) -> Result<i64, StoreError> {
        let last = self.get(&COUNTERS, (name, project))?.unwrap_or(0);
        self.put(&COUNTERS, (name, project), &(last + count))?;
        Ok(last + 1)
    }

    /// Deletes the counter of a project.
    pub(crate) fn forget_numbers(&self, name: &str, project: i64) -> Result<(), StoreError> {
        self.remove(&COUNTERS, (name, project))
    }
}

pub(crate) fn break_if(is_enough: bool) -> ControlFlow<()> {
    if is_enough {
        ControlFlow::Break(())
    } else {
        ControlFlow::Continue(())
    }
}
