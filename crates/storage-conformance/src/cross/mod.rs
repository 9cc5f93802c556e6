//! `X`: promises of a store when one closure writes the rows of several crates.

use crate::areas::Everything;
use crate::suite::suite;

mod atomic;
mod revocation;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the rows of several crates consistent.
    cross_suite = cross::cases for Everything;
    atomic {
        x01_rows_of_several_crates_commit_together,
        x02_rows_of_several_crates_are_undone_together,
        x03_no_reader_sees_the_rows_of_one_crate_without_the_other,
    }
    revocation {
        x10_a_user_loses_all_access_together,
        x11_a_refused_block_revokes_nothing,
        x12_no_reader_sees_a_blocked_user_with_access_left,
        x13_an_ended_session_takes_its_requests_and_leaves_its_grants,
    }
}
