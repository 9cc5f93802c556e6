//! Promises of the engine on any database: the work that is kept, the work that is refused, the answers, and the state
//! after the worst failures.

#[cfg(test)]
mod connections;
#[cfg(test)]
mod damage;
#[cfg(test)]
mod databases;
#[cfg(test)]
mod durability;
#[cfg(test)]
mod facts;
#[cfg(test)]
mod families;
#[cfg(test)]
mod files;
#[cfg(test)]
mod hanging;
#[cfg(test)]
mod journal;
#[cfg(test)]
mod killed_migration;
#[cfg(test)]
mod locks;
#[cfg(test)]
mod migrations;
#[cfg(test)]
mod recovery;
#[cfg(test)]
mod scopes;
#[cfg(test)]
mod search;
#[cfg(test)]
mod support;
#[cfg(test)]
mod transfer;
#[cfg(test)]
mod uses;

use std::sync::Arc;

use databases::{TestSettings, postgres, sqlite};

/// Runs a fact as a test on each database.
/// The fact is a function over the store, which is created with `settings`.
macro_rules! on_both {
    ($($fact:ident($settings:expr);)+) => {
        mod on_sqlite {
            use super::*;
            $(#[test]
            fn $fact() {
                let (store, _directory) = sqlite($settings);
                facts::$fact(&Arc::new(store));
            })+
        }

        mod on_postgres {
            use super::*;
            $(#[test]
            fn $fact() {
                let Some((store, _database)) = postgres($settings) else { return };
                facts::$fact(&Arc::new(store));
            })+
        }
    };
}

on_both! {
    one_failing_closure_among_64_leaves_63(TestSettings::default());
    one_bad_piece_of_a_group_is_refused_alone(TestSettings::default());
    pieces_that_wait_together_are_written_together(TestSettings::default());
    a_panic_is_an_internal_error_and_the_writer_lives_on(TestSettings::default());
    a_full_queue_refuses_at_once(TestSettings { queue_jobs: 2, ..TestSettings::default() });
    a_piece_larger_than_the_bound_is_taken_when_it_is_alone(
        TestSettings { queue_bytes: 10_000, ..TestSettings::default() }
    );
    work_that_waited_too_long_is_refused_unrun(
        TestSettings { deadline: facts::SHORT_DEADLINE, ..TestSettings::default() }
    );
    acknowledged_rows_are_the_stored_rows(TestSettings { queue_jobs: 16, ..TestSettings::default() });
    closing_finishes_what_was_queued_and_refuses_the_rest(TestSettings::default());
    all_queries_of_a_read_see_the_same_moment(TestSettings::default());
    a_panic_in_a_read_leaves_the_readers_alive(TestSettings::default());
    a_panic_outside_of_the_work_leaves_the_writers_alive(TestSettings::default());
    a_read_that_takes_too_long_is_answered_all_the_same(
        TestSettings { read_limit: facts::SHORT_DEADLINE, ..TestSettings::default() }
    );
}
