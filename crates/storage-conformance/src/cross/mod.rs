//! `X`: what a store promises when one closure writes the rows of several crates.

use crate::reach::Everything;
use crate::suite::suite;

mod atomic;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps rows of several crates in step.
    cross_suite = cross::cases where Store: Everything;
    atomic {
        x01_rows_of_several_crates_commit_together,
        x02_rows_of_several_crates_are_undone_together,
        x03_no_reader_sees_the_rows_of_one_crate_without_the_other,
    }
}
