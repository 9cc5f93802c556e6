//! `O`: promises of a store about applications, pending authorization requests, grants, tokens and signing keys.

mod application;
mod applications;
mod authorized;
mod batches;
pub mod engine;
mod grants;
mod keys;
mod requests;
mod revocation;
mod samples;
mod survival;
mod tokens;

pub use application::StoredApplication;
pub(crate) use samples::application;
#[cfg(all(
    feature = "accounts",
    feature = "projects",
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations",
    feature = "pipelines",
    feature = "notifications"
))]
pub(crate) use samples::{grant, pair, request};

use crate::areas::Oauth;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `oauth-provider`.
    oauth_suite = oauth::cases for Oauth;
    applications {
        o02_absence_is_none_and_changes_nothing,
        o03_a_uid_is_unique_and_its_case_matters,
        o05_a_secret_is_replaced,
        o06_an_application_takes_everything_with_it,
        o09_application_names_are_listed_once_per_id_and_unknown_ids_are_left_out,
    }
    authorized {
        o10_live_grants_authorize_an_application,
        o11_authorized_applications_are_listed_the_newest_first,
        o12_consent_is_for_exactly_these_scopes,
    }
    requests {
        o20_a_request_comes_back_as_it_was_written,
        o21_a_handle_is_unique,
        o22_an_authorization_request_is_consumed_once,
        o23_an_authorization_request_is_consumed_only_by_its_session_before_expiry,
        o24_exactly_one_concurrent_answer_consumes_the_authorization_request,
    }
    grants {
        o30_a_grant_comes_back_as_it_was_written,
        o31_a_code_is_unique,
        o32_a_code_is_redeemed_once,
        o33_exactly_one_concurrent_redemption_of_a_code_succeeds,
        o34_a_revoked_code_is_not_redeemed,
        o35_a_refused_redemption_uses_up_no_code,
    }
    tokens {
        o40_a_pair_comes_back_as_it_was_written,
        o41_tokens_are_unique,
        o42_a_rotated_pair_gives_way_to_its_successor,
        o43_a_pair_is_rotated_once,
        o44_exactly_one_concurrent_rotation_of_a_pair_succeeds,
        o45_a_refused_rotation_changes_nothing,
    }
    batches {
        o36_codes_are_redeemed_together_as_one_after_the_other,
        o37_racing_groups_redeem_each_code_once,
        o46_locking_returns_grants_and_families_in_the_requested_order,
        o47_pairs_are_rotated_together_as_one_after_the_other,
        o48_racing_groups_rotate_each_pair_once,
    }
    revocation {
        o50_a_grant_ends_once_with_all_its_tokens,
        u08_the_grants_of_a_user_are_deleted_in_steps_with_their_tokens,
        o51_the_grants_of_a_user_end_together,
        o52_ending_a_session_revokes_unredeemed_grants_and_deletes_pending_requests,
        o53_no_rotation_outruns_the_end_of_its_grant,
        o54_no_redemption_outruns_the_end_of_its_grant,
        o55_spent_grants_and_late_requests_are_deleted_up_to_a_limit,
        o56_a_grant_of_an_application_ends_by_itself_or_with_the_application,
    }
    keys {
        o60_a_key_comes_back_as_it_was_written,
        o61_an_algorithm_has_one_key_of_a_generation,
        o62_a_kid_is_unique,
        o63_keys_are_listed_the_oldest_first,
        o64_keys_are_deleted_by_their_ids,
        o65_exactly_one_of_several_nodes_creates_the_key_of_a_generation,
    }
    survival {
        o70_rotations_and_redemptions_outlive_the_store needs Durable,
    }
    [StoredApplication] {
        o01_an_application_comes_back_as_it_was_written = clauses::comes_back,
        o04_an_application_keeps_its_uid_its_secret_and_its_owner = clauses::changes,
        o07_applications_are_listed_by_owner_the_oldest_first = lists::ties,
        o08_pages_hold_every_row_once = lists::pages,
        o13_a_list_holds_the_applications_of_its_owner = lists::isolation,
        o14_an_application_is_deleted_once = clauses::deleted_once,
        o15_one_of_many_racing_applications_gets_the_uid = clauses::unique,
        o16_a_refused_write_leaves_no_application = clauses::rollback,
        o71_applications_outlive_the_store = clauses::survives needs Durable,
    }
}
