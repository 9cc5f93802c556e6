//! Transactions on a server.
//! A statement costs a round trip, during which all transactions wait that need the same locks; so the transaction of
//! grouped work sends as few messages as possible.

use std::sync::Arc;

use diesel::connection::SimpleConnection;
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment, QueryId};
use storage::{RepositoryMethod, StoreError, TransactionWrapper};

use super::PgReadTx;
#[cfg(feature = "alert-intake")]
use crate::alerts::postgres::ReadAhead;
use crate::error::from_diesel;
use crate::transaction::Transaction;

/// Maximum size in bytes of the rows that wait to be written together.
/// If there are more, they are written at once, because they are in memory twice.
const MAX_BUFFERED_BYTES: usize = 1 << 20;

/// Begins the transaction of grouped work.
///
/// Its statements are planned once, when the tables may be nearly empty, and look for single rows only: by their keys
/// and only in indexes, however small a table is, because the plan stays when the table has grown.
pub(super) const BEGIN_GROUP: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL enable_seqscan = off; \
                     SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off";

/// Connection for writing, and the statements that begin its transactions.
pub(crate) struct WriterConnection {
    pub(super) connection: PgConnection,
    /// Begins that of a closure.
    pub(super) begin: Arc<str>,
    /// Begins that of grouped work.
    pub(super) begin_group: Arc<str>,
}

impl SimpleConnection for WriterConnection {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.connection.batch_execute(query)
    }
}

/// A write transaction on PostgreSQL.
///
/// The transaction of a closure sends every statement at once. That of grouped work begins with its first statement, in
/// the same message if possible, and buffers writes that return nothing: rows for different tables are written by one
/// statement, before the next statement that returns something or else before the commit. No read bypasses the buffer,
/// because the only access to the connection flushes it first. ADR 20 has the reasons.
pub struct PgWriteTx<'t> {
    reading: PgReadTx<'t>,
    begin: &'t str,
    begun: bool,
    buffers_writes: bool,
    buffered: Vec<BufferedStatement>,
    buffered_bytes: usize,
    /// Values that the look-up of alerts has read ahead.
    #[cfg(feature = "alert-intake")]
    pub(crate) ahead: ReadAhead,
}

/// Buffered statement.
struct BufferedStatement {
    table: &'static str,
    statement: Box<dyn QueryFragment<Pg>>,
}

impl<'t> PgWriteTx<'t> {
    /// Creates the transaction of a closure, which has begun.
    pub(super) fn of_closure(writer_connection: &'t mut WriterConnection) -> Self {
        Self {
            begun: true,
            buffers_writes: false,
            ..Self::of_group(writer_connection)
        }
    }

    /// Creates the transaction of grouped work, which begins with its first statement.
    pub(super) fn of_group(writer_connection: &'t mut WriterConnection) -> Self {
        Self {
            reading: PgReadTx {
                connection: &mut writer_connection.connection,
            },
            begin: &writer_connection.begin_group,
            begun: false,
            buffers_writes: true,
            buffered: Vec::new(),
            buffered_bytes: 0,
            #[cfg(feature = "alert-intake")]
            ahead: ReadAhead::default(),
        }
    }

    /// Runs statements without parameters, whose results are not needed, in one message.
    pub(crate) fn run_text(
        &mut self,
        operation: &'static str,
        text: &str,
    ) -> Result<(), StoreError> {
        self.write_buffered()?;
        let outcome = if self.begun {
            self.reading.connection.batch_execute(text)
        } else {
            self.reading
                .connection
                .batch_execute(&format!("{}; {text}", self.begin))
        };
        self.begun = true;
        outcome.map_err(|e| from_diesel(operation, e))
    }

    /// Writes rows of a table by a statement that returns nothing, now or a little later together with others.
    /// `bytes` is its approximate size in memory.
    pub(crate) fn write_rows(
        &mut self,
        operation: &'static str,
        table: &'static str,
        statement: impl QueryFragment<Pg> + 'static,
        bytes: usize,
    ) -> Result<(), StoreError> {
        // The parts of one statement run in no defined order, and none sees the writes of another.
        if self.buffered.iter().any(|other| other.table == table) {
            self.write_buffered()?;
        }
        self.buffered.push(BufferedStatement {
            table,
            statement: Box::new(statement),
        });
        self.buffered_bytes += bytes;
        if self.buffers_writes && self.buffered_bytes < MAX_BUFFERED_BYTES {
            return Ok(());
        }
        self.begin()?;
        self.write_as(operation)
    }

    /// Flushes all buffered writes.
    /// Only the commit is left after that.
    pub(super) fn flush(&mut self) -> Result<(), StoreError> {
        self.write_buffered()
    }

    fn write_buffered(&mut self) -> Result<(), StoreError> {
        if self.buffered.is_empty() {
            return Ok(());
        }
        self.begin()?;
        self.write_as("write batch")
    }

    fn begin(&mut self) -> Result<(), StoreError> {
        if !self.begun {
            self.begun = true;
            self.reading
                .connection
                .batch_execute(self.begin)
                .map_err(|e| from_diesel("begin", e))?;
        }
        Ok(())
    }

    fn write_as(&mut self, operation: &'static str) -> Result<(), StoreError> {
        let buffered = std::mem::take(&mut self.buffered);
        self.buffered_bytes = 0;
        CombinedWrite(buffered)
            .execute(self.reading.connection)
            .map(drop)
            .map_err(|e| from_diesel(operation, e))
    }
}

impl<'t> TransactionWrapper for PgWriteTx<'t> {
    type Inner = PgReadTx<'t>;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut PgReadTx<'t> {
        &mut self.reading
    }

    /// Flushes buffered writes before any read.
    fn call<T>(
        &mut self,
        _: RepositoryMethod,
        run: impl FnOnce(&mut PgReadTx<'t>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.connection()?;
        run(&mut self.reading)
    }
}

impl Transaction for PgWriteTx<'_> {
    type Connection = PgConnection;

    fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        self.write_buffered()?;
        self.begin()?;
        Ok(self.reading.connection)
    }
}

impl std::fmt::Debug for PgWriteTx<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PgWriteTx")
            .field("begun", &self.begun)
            .field("waiting", &self.buffered.len())
            .finish_non_exhaustive()
    }
}

/// Single statement that writes rows of different tables.
/// There are few combinations, so each is prepared once.
struct CombinedWrite(Vec<BufferedStatement>);

impl QueryId for CombinedWrite {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl RunQueryDsl<PgConnection> for CombinedWrite {}

impl QueryFragment<Pg> for CombinedWrite {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        if let [alone] = self.0.as_slice() {
            return alone.statement.walk_ast(out);
        }
        for (place, one) in self.0.iter().enumerate() {
            out.push_sql(if place == 0 { "WITH w_" } else { ", w_" });
            out.push_sql(one.table);
            out.push_sql(" AS (");
            one.statement.walk_ast(out.reborrow())?;
            out.push_sql(")");
        }
        // Each part runs to completion although nothing reads it. No part can be the main query, because it may begin
        // with `WITH`.
        out.push_sql(" SELECT 1");
        Ok(())
    }
}
