//! Connections of readers: created by r2d2, and counted, so that closing a store can wait until the last one is closed.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use diesel::Connection;
use diesel::r2d2::R2D2Connection;
use r2d2::ManageConnection;

use crate::error::OpenError;

/// Time for which closing waits for the last connection.
/// The pool has threads of its own, and one of them may hold a connection for a short while after all others have
/// returned theirs.
const CLOSING: Duration = Duration::from_secs(5);

/// Number of open connections.
#[derive(Debug, Default)]
pub(crate) struct OpenCount {
    count: Mutex<usize>,
    closed: Condvar,
}

impl OpenCount {
    fn change(&self, change: impl FnOnce(&mut usize)) {
        change(&mut self.count.lock().unwrap_or_else(PoisonError::into_inner));
        self.closed.notify_all();
    }

    /// Waits until all are closed.
    /// Returns `false` if that takes too long.
    pub(super) fn wait_until_none(&self) -> bool {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let (count, _) = self
            .closed
            .wait_timeout_while(count, CLOSING, |count| *count > 0)
            .unwrap_or_else(PoisonError::into_inner);
        *count == 0
    }
}

/// Configuration of a new connection.
type Configure<C> = dyn Fn(&mut C) -> diesel::QueryResult<()> + Send + Sync;

/// Opens connections for reading.
pub(crate) struct ConnectionOpener<C> {
    url: String,
    configure: Box<Configure<C>>,
    open_count: Arc<OpenCount>,
}

impl<C> ConnectionOpener<C> {
    /// Opens connections to `url`, and calls `configure` for each.
    pub(crate) fn new(
        url: String,
        configure: impl Fn(&mut C) -> diesel::QueryResult<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            url,
            configure: Box::new(configure),
            open_count: Arc::default(),
        }
    }

    /// Returns the counter of the open connections.
    pub(super) fn open_count(&self) -> Arc<OpenCount> {
        Arc::clone(&self.open_count)
    }
}

/// Connection that is counted while it is open.
pub(crate) struct CountedConnection<C> {
    connection: Option<C>,
    open_count: Arc<OpenCount>,
}

impl<C> CountedConnection<C> {
    /// Returns the connection, which exists until this value is dropped.
    #[expect(
        clippy::expect_used,
        reason = "only `drop` takes the connection out, and nothing uses it afterwards"
    )]
    pub(super) fn get(&mut self) -> &mut C {
        self.connection
            .as_mut()
            .expect("the connection is present until it is dropped")
    }
}

impl<C> Drop for CountedConnection<C> {
    fn drop(&mut self) {
        // Closes first and counts afterwards, so that a waiting thread finds it closed.
        drop(self.connection.take());
        self.open_count.change(|count| *count -= 1);
    }
}

impl<C: Connection + R2D2Connection + Send + 'static> ManageConnection for ConnectionOpener<C> {
    type Connection = CountedConnection<C>;
    type Error = OpenError;

    fn connect(&self) -> Result<CountedConnection<C>, OpenError> {
        let mut connection = C::establish(&self.url)?;
        (self.configure)(&mut connection)?;
        self.open_count.change(|count| *count += 1);
        Ok(CountedConnection {
            connection: Some(connection),
            open_count: self.open_count(),
        })
    }

    fn is_valid(&self, connection: &mut CountedConnection<C>) -> Result<(), OpenError> {
        Ok(connection.get().ping()?)
    }

    fn has_broken(&self, connection: &mut CountedConnection<C>) -> bool {
        connection.get().is_broken()
    }
}
