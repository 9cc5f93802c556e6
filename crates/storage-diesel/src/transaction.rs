//! Transactions as seen by the repositories: they load one row, many rows or a page, and change rows.
//!
//! Each helper takes the name of the operation, for errors, and a query that consists of conditions only. The columns
//! are those of the requested row type.

use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use diesel::connection::{Connection, LoadConnection};
use diesel::dsl::{AsSelect, Limit, Offset, Select};
use diesel::query_builder::QueryId;
use diesel::query_dsl::LoadQuery;
use diesel::query_dsl::methods::{ExecuteDsl, LimitDsl, OffsetDsl, SelectDsl};
use diesel::{OptionalExtension as _, QueryResult, RunQueryDsl, Selectable, SelectableHelper as _};
use storage::StoreError;

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::{DomainRow, KeyedRow, arrange};
use crate::window::Window;

/// Read transaction over a connection.
#[derive(Debug)]
pub struct ReadTx<'t, C> {
    pub(crate) connection: &'t mut C,
}

/// Database backend of a transaction.
pub(crate) type Backend<T> = <<T as Transaction>::Connection as Connection>::Backend;

/// Transaction as seen by the repositories.
pub(crate) trait Transaction {
    /// Connection on which statements run.
    type Connection: LoadConnection;

    /// Returns the connection, on which the transaction has begun and all earlier writes are flushed.
    ///
    /// # Errors
    /// If the database rejects the earlier writes.
    fn connection(&mut self) -> Result<&mut Self::Connection, StoreError>;

    /// Runs statements one after the other.
    /// All other helpers call this one: it is the only place that adds the name of the operation to a database error.
    fn run<T>(
        &mut self,
        operation: &'static str,
        statements: impl FnOnce(&mut Self::Connection) -> QueryResult<T>,
    ) -> Result<T, StoreError> {
        statements(self.connection()?).map_err(|error| from_diesel(operation, error))
    }

    /// Returns the row that meets the conditions, if there is one.
    fn find<'q, R>(
        &mut self,
        operation: &'static str,
        conditions: impl SelectDsl<
            AsSelect<R, Backend<Self>>,
            Output: LoadQuery<'q, Self::Connection, R>,
        >,
    ) -> Result<Option<R::Value>, StoreError>
    where
        R: DomainRow + Selectable<Backend<Self>, SelectExpression: QueryId>,
    {
        let row = self.value_if(operation, conditions.select(R::as_select()))?;
        row.map(R::read).transpose()
    }

    /// Returns all rows that meet the conditions, in the order of the query.
    fn list<'q, R>(
        &mut self,
        operation: &'static str,
        conditions: impl SelectDsl<
            AsSelect<R, Backend<Self>>,
            Output: LoadQuery<'q, Self::Connection, R>,
        >,
    ) -> Result<Vec<R::Value>, StoreError>
    where
        R: DomainRow + Selectable<Backend<Self>, SelectExpression: QueryId>,
    {
        let rows = self.values(operation, conditions.select(R::as_select()))?;
        rows.into_iter().map(R::read).collect()
    }

    /// Returns the rows with these keys, in the order of the keys.
    /// `conditions` finds them in any order.
    fn list_in_order<'q, R>(
        &mut self,
        operation: &'static str,
        keys: &[i64],
        conditions: impl SelectDsl<
            AsSelect<R, Backend<Self>>,
            Output: LoadQuery<'q, Self::Connection, R>,
        >,
    ) -> Result<Vec<R::Value>, StoreError>
    where
        R: KeyedRow + Selectable<Backend<Self>, SelectExpression: QueryId>,
    {
        let rows: Vec<R> = self.values(operation, conditions.select(R::as_select()))?;
        arrange(keys, rows).into_iter().map(R::read).collect()
    }

    /// Returns a page of a list with a count that is capped at [`Total::COUNT_LIMIT`].
    ///
    /// `matching` selects the keys of the rows of the list. Keys are in indexes, so the page is determined by keys,
    /// from the nearer end of the list; only the rows of the page are read in full. `ordered` sorts keys in the order
    /// of the list in a direction, and `with_keys` selects the rows with these keys.
    fn page<'q, R, K, O, W>(
        &mut self,
        operation: &'static str,
        page: OffsetPage,
        sort: SortOrder,
        matching: impl Fn() -> K,
        ordered: impl FnOnce(K, SortOrder) -> O,
        with_keys: impl FnOnce(Vec<i64>) -> W,
    ) -> Result<Page<R::Value>, StoreError>
    where
        R: KeyedRow + Selectable<Backend<Self>, SelectExpression: QueryId>,
        K: LimitDsl,
        CappedCount<Limit<K>>: LoadQuery<'q, Self::Connection, i64>,
        O: OffsetDsl,
        Offset<O>: LimitDsl,
        Limit<Offset<O>>: LoadQuery<'q, Self::Connection, i64>,
        W: SelectDsl<AsSelect<R, Backend<Self>>>,
        Select<W, AsSelect<R, Backend<Self>>>: LoadQuery<'q, Self::Connection, R>,
    {
        let count = self.count(operation, matching())?;
        let window = Window::of(page, count);
        if window.is_empty() {
            return Ok(window.page(Vec::new()));
        }
        let keys = ordered(matching(), window.direction(sort));
        let keys = self.keys(operation, window, keys)?;
        let rows = self.list_in_order::<R>(operation, &keys, with_keys(keys.clone()))?;
        Ok(window.page(rows))
    }

    /// Counts the matching rows, up to [`Total::COUNT_LIMIT`].
    fn count<'q, K: LimitDsl>(
        &mut self,
        operation: &'static str,
        matching: K,
    ) -> Result<i64, StoreError>
    where
        CappedCount<Limit<K>>: LoadQuery<'q, Self::Connection, i64>,
    {
        self.value(operation, CappedCount(matching.limit(Total::COUNT_LIMIT)))
    }

    /// Returns the keys in a window of a list, in the order of the list.
    /// `ordered` is in the direction of the window.
    fn keys<'q, O: OffsetDsl>(
        &mut self,
        operation: &'static str,
        window: Window,
        ordered: O,
    ) -> Result<Vec<i64>, StoreError>
    where
        Offset<O>: LimitDsl,
        Limit<Offset<O>>: LoadQuery<'q, Self::Connection, i64>,
    {
        let keys = ordered.offset(window.skip).limit(window.take);
        Ok(window.in_order(self.values(operation, keys)?))
    }

    /// Returns the result of a query that always has a row, such as a count or an insertion with returned columns.
    fn value<'q, T>(
        &mut self,
        operation: &'static str,
        query: impl LoadQuery<'q, Self::Connection, T>,
    ) -> Result<T, StoreError> {
        self.run(operation, |connection| query.get_result(connection))
    }

    /// Returns the result of a query that has one row or none.
    fn value_if<'q, T>(
        &mut self,
        operation: &'static str,
        query: impl LoadQuery<'q, Self::Connection, T>,
    ) -> Result<Option<T>, StoreError> {
        self.run(operation, |connection| {
            query.get_result(connection).optional()
        })
    }

    /// Returns all rows of a query.
    fn values<'q, T>(
        &mut self,
        operation: &'static str,
        query: impl LoadQuery<'q, Self::Connection, T>,
    ) -> Result<Vec<T>, StoreError> {
        self.run(operation, |connection| query.load(connection))
    }

    /// Runs a statement, and returns the number of changed rows.
    fn execute(
        &mut self,
        operation: &'static str,
        statement: impl ExecuteDsl<Self::Connection> + RunQueryDsl<Self::Connection>,
    ) -> Result<usize, StoreError> {
        self.run(operation, |connection| statement.execute(connection))
    }

    /// Runs a statement, and returns true if it changed any row.
    fn changes(
        &mut self,
        operation: &'static str,
        statement: impl ExecuteDsl<Self::Connection> + RunQueryDsl<Self::Connection>,
    ) -> Result<bool, StoreError> {
        Ok(self.execute(operation, statement)? > 0)
    }
}

impl<C: LoadConnection> Transaction for ReadTx<'_, C> {
    type Connection = C;

    fn connection(&mut self) -> Result<&mut C, StoreError> {
        Ok(self.connection)
    }
}

/// Converts a number of rows to the type of the database.
pub(crate) fn row_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Sorts a query by columns, all in the direction `sort`.
/// The query is boxed, so that both directions have one type.
macro_rules! order_by {
    ($query:expr, $sort:expr, $($column:expr),+) => {
        match $sort {
            api_conventions::page::SortOrder::Ascending => $query.order(($($column.asc(),)+)),
            api_conventions::page::SortOrder::Descending => $query.order(($($column.desc(),)+)),
        }
    };
}

pub(crate) use order_by;
