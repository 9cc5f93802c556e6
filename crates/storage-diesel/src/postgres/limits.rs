//! Limits that the server enforces itself: the time for which it works, as far as the client knows how long callers
//! wait, and the kinds of plans that it may choose.

use std::time::Duration;

/// Planner settings of readers: they read in the order of indexes, which give the first rows of a page at once.
/// After a load, the statistics of a table are outdated, and the planner would rather collect all rows of a project and
/// sort them, for each page.
const IN_ORDER: [&str; 2] = ["enable_seqscan = off", "enable_bitmapscan = off"];

/// Minimum time for which the server works on a statement of a writer before it stops it.
const WRITING: Duration = Duration::from_secs(30);

/// Returns the settings that make the server read in the order of indexes, and stop a statement of a reader.
/// The watchdog answers a caller that has waited for as long as `limit`; this stops the work, too.
pub(super) fn reader(limit: Duration) -> Vec<String> {
    let timeout = format!("statement_timeout = {}", milliseconds(limit));
    let in_order = IN_ORDER.into_iter().map(str::to_owned);
    [timeout].into_iter().chain(in_order).collect()
}

/// Returns the settings that make the server stop the waits and the statements of a writer.
/// A wait for a lock ends before the write has waited for as long as `deadline`, and a statement is not stopped before
/// its write is answered, after `limit`.
pub(super) fn writer(deadline: Duration, limit: Duration) -> Vec<String> {
    let locks = milliseconds(deadline / 5 * 4);
    let statements = milliseconds(limit.max(WRITING));
    vec![
        format!("lock_timeout = {locks}"),
        format!("statement_timeout = {statements}"),
    ]
}

/// Converts a time for the server: zero would mean no limit, and there is a maximum.
fn milliseconds(time: Duration) -> i32 {
    i32::try_from(time.as_millis()).unwrap_or(i32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use diesel::prelude::*;
    use storage::{Lane, Store as _, StoreError};

    use super::*;
    use crate::{PostgresOptions, PostgresStore};

    #[derive(QueryableByName)]
    struct LimitSetting {
        #[diesel(sql_type = diesel::sql_types::Text)]
        setting: String,
    }

    #[test]
    fn the_limits_of_the_server_follow_the_options() {
        let seconds = Duration::from_secs;
        assert_eq!(reader(seconds(5))[0], "statement_timeout = 5000");
        assert_eq!(reader(Duration::ZERO)[0], "statement_timeout = 1");
        assert_eq!(reader(Duration::MAX)[0], "statement_timeout = 2147483647");
        assert_eq!(
            writer(seconds(5), seconds(8)),
            ["lock_timeout = 4000", "statement_timeout = 30000"]
        );
        assert_eq!(
            writer(seconds(60), seconds(63)),
            ["lock_timeout = 48000", "statement_timeout = 63000"]
        );
    }

    #[test]
    fn the_server_ends_reads_at_their_limit_and_reads_in_the_order_of_indexes() {
        let Some(database) = test_databases::TestDatabase::empty() else {
            return;
        };
        let options = PostgresOptions {
            read_limit: Duration::from_secs(7),
            ..PostgresOptions::default()
        };
        let store = PostgresStore::open(database.url(), options).unwrap();
        for lane in [Lane::Check, Lane::Caller(1)] {
            let shown = store.read_in(lane, |tx| {
                let names = [
                    "statement_timeout",
                    "enable_seqscan",
                    "enable_bitmapscan",
                    "jit",
                ];
                let settings = names.map(|name| {
                    let shown = diesel::sql_query("SELECT current_setting($1) AS setting");
                    let shown = shown.bind::<diesel::sql_types::Text, _>(name);
                    shown
                        .get_result::<LimitSetting>(tx.connection)
                        .unwrap()
                        .setting
                });
                Ok::<_, StoreError>(settings)
            });
            assert_eq!(shown.wait().unwrap(), ["7s", "off", "off", "off"]);
        }
    }
}
