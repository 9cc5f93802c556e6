//! `T`: promises of a store about errors, their events, and the settings of error tracking.

mod arriving;
mod attachments_and_comments;
mod changes;
mod client_keys;
mod counts;
mod deletion;
mod entities;
mod filters;
mod kept_events;
mod known_errors;
mod links;
mod lists;
mod merged;
mod monitors;
mod numbers;
mod pruning;
mod recent;
mod samples;
mod settings;
mod shared;
mod stored_event;

pub use client_keys::StoredClientKey;
pub use entities::StoredError;
pub use stored_event::{EventOwner, NewStoredEvent, StoredEvent};

pub(crate) use samples::*;

use crate::areas::Errors;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `error-tracking`.
    errors_suite = errors::cases for Errors;
    settings {
        t01_settings_come_back_as_they_were_put,
        t02_settings_are_put_for_their_project_only,
        t03_racing_first_settings_are_put_one_after_the_other,
        t04_settings_are_listed_in_the_order_of_their_projects,
        t05_a_refused_write_leaves_no_settings,
    }
    links {
        t06_an_issue_is_about_one_error_of_an_external_tracker,
        t07_links_go_with_their_project_and_their_issue,
    }
    client_keys {
        t20_a_change_of_a_client_key_leaves_the_rest_of_it,
        t21_a_deleted_client_key_is_not_found_and_its_counters_stay,
        t22_public_keys_are_unique_across_all_projects,
    }
    numbers {
        t42_numbers_follow_each_other_without_a_gap,
        t43_racing_transactions_never_get_the_same_number,
        t44_a_refused_write_uses_up_no_number,
        t45_the_number_and_the_key_of_an_error_are_its_own,
    }
    known_errors {
        t46_an_error_is_known_by_its_key,
        t47_the_explanation_of_a_key_comes_back,
        t48_a_user_counts_as_new_to_an_error_once_across_its_group_keys,
        t49_a_release_keeps_when_it_was_first_seen,
    }
    arriving {
        t50_events_add_to_the_counts_of_an_error_and_set_its_facts,
        t51_an_error_that_is_back_is_unresolved,
        t52_hundreds_of_events_are_written_at_once,
        t53_concurrent_collectors_of_one_group_key_create_one_error,
    }
    kept_events {
        t66_events_are_found_by_their_position,
        t67_an_event_has_the_ones_around_it,
        t68_events_are_stored_once_and_remembered,
        t69_events_that_were_stored_are_counted_by_their_day,
        t99_an_event_id_resolves_to_the_error_that_has_the_event_now,
    }
    shared {
        t79_the_shared_part_reads_back_with_each_event,
    }
    pruning {
        t70_pruning_deletes_the_content_of_low_priority_events,
        t71_a_pruned_event_counts_as_stored_but_is_not_listed,
        t72_old_events_comments_and_files_are_deleted_up_to_a_limit,
        t98_records_of_events_no_longer_retained_are_deleted_up_to_a_limit,
    }
    counts {
        t73_hours_add_up,
        t74_tags_add_up,
        t75_the_accounting_adds_up,
        t76_sessions_add_up,
    }
    attachments_and_comments {
        t77_files_come_back_with_their_bytes,
        t78_only_comments_on_retained_events_are_listed,
    }
    filters {
        t80_each_filter_of_errors_holds,
        t97_many_errors_with_a_tag_are_in_order,
    }
    lists {
        t81_search_is_for_text_in_any_case_and_has_no_wildcards,
        t82_every_order_of_errors_breaks_ties_by_number,
        t100_a_list_of_errors_goes_on_behind_a_position,
        t83_errors_are_counted_by_their_state,
        t84_a_walk_of_errors_begins_beyond_an_id,
    }
    recent {
        t110_the_recent_errors_of_a_set_of_projects_are_listed_the_latest_first,
        t111_new_errors_are_counted_by_the_environments_of_their_events,
    }
    changes {
        t85_each_state_comes_back,
        u05_errors_of_an_assignee_are_unassigned_in_steps,
        t86_a_user_decision_ends_the_regression_of_an_error,
        t87_concurrent_changes_of_one_error_are_all_applied,
        t88_an_error_is_found_by_its_issue,
    }
    merged {
        t89_a_merged_error_has_the_keys_events_and_users_of_both_errors,
        t90_a_merge_takes_each_thing_of_the_right_one,
        t91_a_split_off_group_key_becomes_a_new_unresolved_error,
        t92_a_group_key_is_split_off_only_from_its_own_error,
        t93_a_split_without_retained_events_uses_data_stored_with_the_group_keys,
        t101_a_merged_error_redirects_to_the_error_that_has_its_events,
    }
    monitors {
        t120_a_monitor_comes_back_by_its_key,
        t121_a_new_state_replaces_that_of_its_monitor,
        t122_due_monitors_are_listed_the_longest_due_first,
        t123_a_monitor_is_deleted_in_its_project_only,
        t124_monitors_outlive_the_store needs Durable,
    }
    deletion {
        t94_an_error_that_is_deleted_leaves_nothing,
        t95_a_project_that_goes_takes_its_errors_step_by_step,
        t96_rows_outlive_the_store needs Durable,
    }
    [StoredClientKey] {
        t10_a_client_key_comes_back_as_it_was_written = clauses::comes_back,
        t11_an_unknown_client_key_is_none = clauses::absence,
        t12_a_refused_write_leaves_no_client_key = clauses::rollback,
        t13_a_client_key_is_changed_in_its_project_only = clauses::changes,
        t14_a_client_key_is_deleted_once = clauses::deleted_once,
        t15_one_of_many_racing_client_keys_gets_the_digits = clauses::unique,
        t16_client_keys_of_a_project_are_listed_and_no_others = lists::isolation,
        t17_client_keys_are_listed_the_oldest_first = lists::ties,
        t18_pages_of_client_keys_hold_every_one_once = lists::pages,
        t19_client_keys_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredError] {
        t30_an_error_comes_back_as_it_was_written = clauses::comes_back,
        t31_an_error_is_not_found_in_another_project = clauses::absence,
        t32_a_refused_write_leaves_no_error = clauses::rollback,
        t33_an_error_is_changed_in_its_project_only = clauses::changes,
        t34_an_error_is_deleted_once = clauses::deleted_once,
        t35_one_of_many_racing_errors_gets_the_key = clauses::unique,
        t36_errors_of_a_project_are_listed_and_no_others = lists::isolation,
        t37_errors_are_listed_the_last_seen_first = lists::ties,
        t38_pages_of_errors_hold_every_one_once = lists::pages,
        t39_errors_are_counted_up_to_ten_thousand = lists::counts,
        t40_a_walk_of_errors_holds_every_one_once = lists::walks,
        t41_errors_outlive_the_store = clauses::survives needs Durable,
    }
    [StoredEvent] {
        t60_an_event_comes_back_as_it_was_written = clauses::comes_back,
        t61_an_event_is_not_found_with_another_error = clauses::absence,
        t62_a_refused_write_leaves_no_event = clauses::rollback,
        t63_one_of_many_racing_events_gets_the_id = clauses::unique,
        t64_events_of_an_error_are_listed_and_no_others = lists::isolation,
        t65_events_are_listed_the_latest_first = lists::pages,
    }
}
