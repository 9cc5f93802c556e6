//! Statements that are prepared once.

use diesel::backend::Backend;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;

/// Statement that keeps its text, so that the connection can keep it prepared.
/// The query builder never keeps an update, because its columns may differ from call to call; but then the text differs
/// as well, and this statement is looked up by its text.
///
/// Only a statement that returns rows, such as one with `RETURNING`, is kept: `execute` asks the query builder through
/// a reference, which does not pass on this setting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CachedStatement<T>(T);

/// Has the connection prepare `statement` once.
/// Preparing it costs several times as much as running it.
pub(crate) fn cached<T>(statement: T) -> CachedStatement<T> {
    CachedStatement(statement)
}

impl<T> QueryId for CachedStatement<T> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<T: Query> Query for CachedStatement<T> {
    type SqlType = T::SqlType;
}

impl<T, C> diesel::RunQueryDsl<C> for CachedStatement<T> {}

impl<T, DB> QueryFragment<DB> for CachedStatement<T>
where
    DB: Backend,
    T: QueryFragment<DB>,
{
    fn walk_ast<'b>(&'b self, out: AstPass<'_, 'b, DB>) -> QueryResult<()> {
        self.0.walk_ast(out)
    }

    fn is_safe_to_cache_prepared(&self, _: &DB) -> QueryResult<bool> {
        Ok(true)
    }
}

#[cfg(all(test, feature = "sqlite"))]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use diesel::connection::InstrumentationEvent;
    use diesel::prelude::*;

    use super::*;

    diesel::table! {
        counters (id) {
            id -> Integer,
            value -> Integer,
        }
    }

    #[test]
    fn a_fixed_update_is_prepared_once_and_another_text_anew() {
        let mut connection = SqliteConnection::establish(":memory:").unwrap();
        diesel::connection::SimpleConnection::batch_execute(
            &mut connection,
            "CREATE TABLE counters (id INTEGER PRIMARY KEY, value INTEGER NOT NULL); \
             INSERT INTO counters VALUES (1, 10);",
        )
        .unwrap();
        let kept = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&kept);
        connection.set_instrumentation(move |event: InstrumentationEvent<'_>| {
            if matches!(event, InstrumentationEvent::CacheQuery { .. }) {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        });
        for value in [11, 12] {
            let update = diesel::update(counters::table.find(1))
                .set(counters::value.eq(value))
                .returning(counters::value);
            assert_eq!(cached(update).get_result(&mut connection), Ok(value));
        }
        assert_eq!(kept.load(Ordering::Relaxed), 1);
        let higher = diesel::update(counters::table.filter(counters::id.gt(0)))
            .set(counters::value.eq(13))
            .returning(counters::value);
        assert_eq!(cached(higher).get_result(&mut connection), Ok(13));
        assert_eq!(kept.load(Ordering::Relaxed), 2);
        for ids in [vec![1], vec![2]] {
            let some = diesel::update(counters::table.filter(counters::id.eq_any(ids)))
                .set(counters::value.eq(14))
                .returning(counters::value);
            cached(some).load::<i32>(&mut connection).unwrap();
        }
        assert_eq!(kept.load(Ordering::Relaxed), 3);
    }
}
