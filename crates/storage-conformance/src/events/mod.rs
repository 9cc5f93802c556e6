//! `E`: promises of a store about the feed.

mod authors;
mod contributions;
mod deletion;
mod entries;
mod entry;
mod ids;
mod project_sets;
mod released;

pub use entry::Entry;

use crate::areas::Events;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `events`.
    events_suite = events::cases for Events;
    entries {
        e02_entries_keep_the_order_in_which_they_were_written,
        e04_a_viewer_gets_full_pages_of_visible_entries,
        e33_a_list_begins_after_any_entry,
        e05_each_filter_holds,
        e06_days_are_cut_at_midnight,
        e11_entries_about_a_thing_follow_it_to_another_audience,
        e13_actions_and_targets_of_a_host_are_filtered_and_follow,
    }
    authors {
        e12_the_entries_of_an_author_are_read_from_any_of_them_on,
    }
    deletion {
        e14_a_project_that_goes_takes_its_entries_step_by_step,
        e17_old_entries_are_deleted_step_by_step,
    }
    released {
        u04_entries_of_an_author_get_another_author_or_are_deleted_in_steps,
    }
    contributions {
        e30_contributions_are_counted_with_the_entries,
        e31_contributions_follow_a_change_of_audience,
        e32_contributions_are_deleted_with_their_user_their_project_and_old_entries,
    }
    ids {
        e18_no_entry_appears_below_the_last_id_but_those_of_the_named_writers,
    }
    project_sets {
        e15_the_entries_of_a_set_of_projects_are_listed_in_one_order,
        e16_days_limit_the_entries_of_a_set_of_projects,
    }
    [Entry] {
        e01_an_entry_comes_back_as_it_was_written = clauses::comes_back,
        e03_a_feed_holds_the_entries_of_its_project = lists::isolation,
        e07_pages_hold_every_row_once = lists::pages,
        e08_thousands_are_written_at_once_and_counted_up_to_ten_thousand = lists::counts,
        e09_a_refused_write_leaves_no_entry = clauses::rollback,
        e10_entries_outlive_the_store = clauses::survives needs Durable,
    }
}
