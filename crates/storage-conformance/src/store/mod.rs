//! `S`: promises of a store about any rows.

mod outcomes;
mod sharing;
mod survival;

use crate::probe_rows::ProbeStore;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of [`Store`](storage::Store).
    store_suite = store::cases where Store: ProbeStore<H::ProbeRows>;
    outcomes {
        s01_ok_commits,
        s02_an_error_undoes_the_whole_closure_and_comes_back_as_it_was,
        s03_a_panic_undoes_the_whole_closure_and_the_store_lives_on,
        s04_a_write_transaction_sees_its_own_writes,
        s05_a_read_that_fails_gives_its_own_error,
        s06_a_dropped_pending_does_not_cancel_the_work,
        s07_a_pending_is_a_future_that_wakes_its_task,
    }
    sharing {
        s08_an_acknowledged_write_is_immediately_visible_to_all_readers,
        s09_all_queries_of_a_read_see_the_same_state,
        s10_no_reader_sees_half_a_write,
        s11_a_failing_closure_does_not_affect_other_closures,
        s12_grouped_work_gets_its_own_output,
        s13_grouped_work_that_refuses_is_refused_alone,
        s14_a_write_sees_everything_acknowledged_before_it_starts,
        s15_a_check_is_answered_while_other_reads_hold_every_reader,
        s16_waiting_reads_of_one_caller_do_not_block_other_callers,
    }
    survival {
        s20_acknowledged_rows_outlive_the_store needs Durable,
        s21_refused_rows_do_not_come_back needs Durable,
        s22_another_process_sees_acknowledged_rows needs MultiProcess,
        s23_two_processes_write_side_by_side needs MultiProcess,
    }
}
