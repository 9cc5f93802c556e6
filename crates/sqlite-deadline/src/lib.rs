//! Time limits for SQLite statements.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Safety
//! Besides `freed-memory` this is the one crate of the workspace with unsafe code: two calls of SQLite's C interface, and the two functions that
//! SQLite calls back. Neither keeps a pointer.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::time::Instant;

use libsqlite3_sys as ffi;

/// How many steps of its virtual machine SQLite takes between two looks at the clock: about a tenth of a millisecond.
const STEPS: c_int = 4096;

thread_local! {
    /// When statements of this thread are to be stopped.
    static LIMIT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// SQLite did not take the handler, because it had no memory left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstallError {
    code: c_int,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SQLite did not take the handler that limits statements (code {})",
            self.code
        )
    }
}

impl std::error::Error for InstallError {}

/// Has every connection that this process opens from now on obey [`within`]. Calling it again does nothing.
///
/// # Errors
/// When SQLite has no memory left.
#[expect(
    unsafe_code,
    reason = "SQLite's own interface is the only way to a connection that another library opens"
)]
pub fn install() -> Result<(), InstallError> {
    // SAFETY: the function has the signature that SQLite documents for it, lives as long as the process, and SQLite
    // guards its list of such functions with a lock and keeps each of them once.
    let code = unsafe { ffi::sqlite3_auto_extension(Some(on_open)) };
    if code == ffi::SQLITE_OK {
        Ok(())
    } else {
        Err(InstallError { code })
    }
}

/// Runs `work`. SQLite stops every statement that it still runs on this thread after `limit`.
///
/// A limit inside another one cannot be later than that.
pub fn within<T>(limit: Instant, work: impl FnOnce() -> T) -> T {
    let before = LIMIT.get();
    LIMIT.set(Some(before.map_or(limit, |before| before.min(limit))));
    let outcome = catch_unwind(AssertUnwindSafe(work));
    LIMIT.set(before);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// SQLite calls this for every connection that it has opened.
#[expect(unsafe_code, reason = "the connection is a C pointer")]
unsafe extern "C" fn on_open(
    connection: *mut ffi::sqlite3,
    _: *mut *mut c_char,
    _: *const ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite calls this with the connection that it has just opened, before anybody else has it. The handler
    // has the documented signature and takes no argument.
    unsafe {
        ffi::sqlite3_progress_handler(connection, STEPS, Some(is_late), ptr::null_mut());
    }
    ffi::SQLITE_OK
}

/// SQLite calls this now and then while a statement runs, and stops the statement unless it answers 0.
extern "C" fn is_late(_: *mut c_void) -> c_int {
    // A thread that is ending has no limit any more; it must not panic into C.
    let late = LIMIT.try_with(|limit| limit.get().is_some_and(|limit| Instant::now() >= limit));
    c_int::from(late.unwrap_or(false))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use diesel::prelude::*;
    use diesel::sql_types::BigInt;

    use super::*;

    #[derive(QueryableByName)]
    struct Counted {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }

    /// Counts to `most`, which takes a second for some ten million.
    fn count(connection: &mut SqliteConnection, most: i64) -> QueryResult<i64> {
        let counted: Counted = diesel::sql_query(format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {most}) \
             SELECT count(*) AS count FROM n"
        ))
        .get_result(connection)?;
        Ok(counted.count)
    }

    fn connection() -> SqliteConnection {
        install().unwrap();
        SqliteConnection::establish(":memory:").unwrap()
    }

    #[test]
    fn a_statement_past_its_limit_is_stopped_and_the_connection_serves_on() {
        let mut connection = connection();
        // Without the limit this would take hours.
        let stopped = within(Instant::now(), || count(&mut connection, i64::MAX));
        assert!(stopped.unwrap_err().to_string().contains("interrupted"));
        assert_eq!(count(&mut connection, 100_000), Ok(100_000));
    }

    #[test]
    fn nothing_is_stopped_before_its_limit() {
        let mut connection = connection();
        let far = Instant::now() + Duration::from_hours(1);
        assert_eq!(within(far, || count(&mut connection, 100_000)), Ok(100_000));
    }

    #[test]
    fn an_inner_limit_is_no_later_than_the_outer_one() {
        let mut connection = connection();
        let stopped = within(Instant::now(), || {
            within(Instant::now() + Duration::from_hours(1), || {
                count(&mut connection, i64::MAX)
            })
        });
        assert!(stopped.is_err());
    }

    #[test]
    fn a_panic_takes_the_limit_with_it() {
        let mut connection = connection();
        let work = || within(Instant::now(), || -> () { panic!("as it should") });
        assert!(catch_unwind(work).is_err());
        assert_eq!(count(&mut connection, 100_000), Ok(100_000));
    }
}
