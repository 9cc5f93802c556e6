//! Time limits for SQLite statements.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Safety
//! Besides `freed-memory` this is the only crate of the workspace with unsafe code: two calls of SQLite's C interface,
//! and the two callbacks that SQLite invokes. Neither keeps a pointer.

use std::cell::Cell;
use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::time::Instant;

use libsqlite3_sys as ffi;

/// Virtual machine steps of SQLite between two checks of the clock: about a tenth of a millisecond.
const STEPS: c_int = 4096;

thread_local! {
    /// Deadline of the statements of this thread.
    static LIMIT: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Failure to install the handler, because SQLite ran out of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstallError {
    code: c_int,
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SQLite rejected the handler that limits statements (code {})",
            self.code
        )
    }
}

impl std::error::Error for InstallError {}

/// Applies [`within`] to every connection that this process opens from now on.
/// Calling it again has no effect.
///
/// # Errors
/// If SQLite runs out of memory.
#[expect(
    unsafe_code,
    reason = "only SQLite's C interface reaches connections that another library opens"
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

/// Runs `work`, and has SQLite stop every statement that still runs on this thread after `limit`.
///
/// A nested limit cannot be later than the outer one.
pub fn within<T>(limit: Instant, work: impl FnOnce() -> T) -> T {
    let before = LIMIT.get();
    LIMIT.set(Some(before.map_or(limit, |before| before.min(limit))));
    let outcome = catch_unwind(AssertUnwindSafe(work));
    LIMIT.set(before);
    outcome.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Callback that SQLite invokes for every connection that it has opened.
#[expect(unsafe_code, reason = "the connection is a C pointer")]
unsafe extern "C" fn on_open(
    connection: *mut ffi::sqlite3,
    _: *mut *mut c_char,
    _: *const ffi::sqlite3_api_routines,
) -> c_int {
    // SAFETY: SQLite calls this with the connection that it has just opened, before any other code has it. The handler
    // has the documented signature and takes no argument.
    unsafe {
        ffi::sqlite3_progress_handler(connection, STEPS, Some(is_late), ptr::null_mut());
    }
    ffi::SQLITE_OK
}

/// Callback that SQLite invokes while a statement runs.
/// A result other than 0 stops the statement.
extern "C" fn is_late(_: *mut c_void) -> c_int {
    // A thread that is exiting has no limit any more; this must not panic into C.
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
    struct StepCount {
        #[diesel(sql_type = BigInt)]
        count: i64,
    }

    /// Counts to `most`; ten million take about a second.
    fn count(connection: &mut SqliteConnection, most: i64) -> QueryResult<i64> {
        let counted: StepCount = diesel::sql_query(format!(
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
    fn statements_within_their_limit_are_not_interrupted() {
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
        let work = || within(Instant::now(), || -> () { panic!("expected") });
        assert!(catch_unwind(work).is_err());
        assert_eq!(count(&mut connection, 100_000), Ok(100_000));
    }
}
