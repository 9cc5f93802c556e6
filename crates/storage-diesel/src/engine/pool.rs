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
pub(crate) struct Open {
    count: Mutex<usize>,
    closed: Condvar,
}

impl Open {
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
type Settle<C> = dyn Fn(&mut C) -> diesel::QueryResult<()> + Send + Sync;

/// Opens connections for reading.
pub(crate) struct Opening<C> {
    url: String,
    settle: Box<Settle<C>>,
    open: Arc<Open>,
}

impl<C> Opening<C> {
    /// Opens connections to `url`, and calls `settle` for each.
    pub(crate) fn new(
        url: String,
        settle: impl Fn(&mut C) -> diesel::QueryResult<()> + Send + Sync + 'static,
    ) -> Self {
        Self {
            url,
            settle: Box::new(settle),
            open: Arc::default(),
        }
    }

    /// Returns the counter of the open connections.
    pub(super) fn open(&self) -> Arc<Open> {
        Arc::clone(&self.open)
    }
}

/// Connection that is counted while it is open.
pub(crate) struct Counted<C> {
    connection: Option<C>,
    open: Arc<Open>,
}

impl<C> Counted<C> {
    /// Returns the connection, which exists until this value is dropped.
    #[expect(
        clippy::expect_used,
        reason = "only dropping takes the connection out, and nobody has this any more then"
    )]
    pub(super) fn get(&mut self) -> &mut C {
        self.connection
            .as_mut()
            .expect("an open connection is there")
    }
}

impl<C> Drop for Counted<C> {
    fn drop(&mut self) {
        // Closes first and counts afterwards, so that a waiting thread finds it closed.
        drop(self.connection.take());
        self.open.change(|count| *count -= 1);
    }
}

impl<C: Connection + R2D2Connection + Send + 'static> ManageConnection for Opening<C> {
    type Connection = Counted<C>;
    type Error = OpenError;

    fn connect(&self) -> Result<Counted<C>, OpenError> {
        let mut connection = C::establish(&self.url)?;
        (self.settle)(&mut connection)?;
        self.open.change(|count| *count += 1);
        Ok(Counted {
            connection: Some(connection),
            open: self.open(),
        })
    }

    fn is_valid(&self, connection: &mut Counted<C>) -> Result<(), OpenError> {
        Ok(connection.get().ping()?)
    }

    fn has_broken(&self, connection: &mut Counted<C>) -> bool {
        connection.get().is_broken()
    }
}
