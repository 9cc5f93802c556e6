//! `C`: promises of a store about credentials and sessions.

mod audit;
mod credentials;
mod factors;
mod failures;
mod lists;
mod locks;
mod sessions;
mod survival;

pub use audit::StoredAuditEntry;

use accounts::{NewSession, SessionStage};
use api_conventions::ids::{SessionId, UserId};
use api_conventions::secret::SecretDigest;
use storage::{StoreError, StoreExt as _};

use crate::accounts::{insert, user};
use crate::areas::Accounts;
use crate::samples::timestamp;
use crate::suite::suite;
use accounts::{AccountReadTx, AccountWriteTx};

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises about credentials and sessions.
    sign_in_suite = sign_in::cases for Accounts;
    credentials {
        c01_credentials_come_back_as_they_were_written,
        c02_absence_is_none_and_changes_nothing,
        c03_a_login_is_a_username_or_an_address_in_any_case,
        c04_a_username_wins_over_the_address_of_another,
        c05_bots_sign_in_with_nothing,
        c06_a_password_is_replaced,
        c07_a_user_is_blocked_and_let_act_again,
    }
    factors {
        c10_a_second_factor_comes_back_as_it_was_written,
        c11_a_second_factor_is_replaced_with_its_codes,
        c12_a_second_factor_that_is_off_leaves_nothing,
        c13_a_time_step_is_spent_once_and_none_before_it,
        c14_racing_requests_spend_a_time_step_once,
        c15_a_recovery_code_is_spent_once,
        c16_racing_requests_spend_a_recovery_code_once,
        c17_recovery_codes_are_replaced_all_together,
    }
    failures {
        c20_failures_are_counted_under_their_key,
        c21_a_count_begins_anew_when_its_window_is_over,
        c22_racing_failures_are_all_counted,
        c23_failures_are_forgotten_under_one_key,
        c24_old_failures_are_deleted,
        c25_a_refused_write_counts_and_spends_nothing,
    }
    sessions {
        c30_a_session_comes_back_as_it_was_written,
        c31_the_digest_of_a_session_is_unique,
        c32_a_renewed_session_has_another_digest,
        c33_the_time_of_last_use_only_moves_forward,
        c34_sessions_are_listed_the_last_used_first,
        c35_a_session_ends_once,
        c36_the_sessions_of_a_user_end_together,
        c37_ended_and_unused_sessions_are_deleted_up_to_a_limit,
        c38_the_id_of_a_session_is_not_given_again,
        c39_sign_ins_and_uses_show_when_a_user_was_last_active,
    }
    survival {
        c40_credentials_and_sessions_outlive_the_store needs Durable,
    }
    locks {
        c50_locking_an_existing_user_or_session_succeeds_and_changes_nothing,
        c51_ending_or_renewing_a_session_waits_for_the_session_lock,
        c52_changes_of_password_state_or_second_factor_wait_for_the_user_lock,
    }
    lists {
        c65_users_are_listed_in_every_order_and_ids_break_ties,
        c66_each_filter_of_users_holds,
        c67_a_search_for_users_knows_no_wildcards,
        c68_users_are_found_by_many_names_at_once,
    }
    audit {
        c63_entries_keep_the_order_in_which_they_were_written,
        c64_the_audit_log_outlives_the_store needs Durable,
    }
    [StoredAuditEntry] {
        c60_an_entry_of_the_audit_log_comes_back_as_it_was_written = clauses::comes_back,
        c61_a_refused_write_leaves_no_entry_of_the_audit_log = clauses::rollback,
        c62_a_walk_holds_the_entries_of_an_entity_once = lists::walks,
    }
}

/// A signed-in session with this cookie.
pub(crate) fn session(user_id: UserId, cookie: &str) -> NewSession {
    NewSession {
        digest: SecretDigest::of(cookie),
        user_id,
        stage: SessionStage::SignedIn,
        user_agent: "A browser".to_owned(),
        address: "192.0.2.1".to_owned(),
        authenticated_at: timestamp(0),
        expires_at: timestamp(1_000),
    }
}

/// Inserts a session of each of these users, for a [`Harness`](crate::Harness) whose store checks references.
///
/// # Panics
/// If the store fails, or already has the sessions.
pub fn insert_sessions(store: &Accounts, people: [UserId; 3]) -> [SessionId; 3] {
    write(store, move |tx| {
        let begin = |tx: &mut dyn AccountWriteTx, user| {
            tx.insert_session(&session(user, &format!("session-of-{user}")))
        };
        let [first, second, third] = people;
        Ok([begin(tx, first)?, begin(tx, second)?, begin(tx, third)?])
    })
}

/// Runs a write closure, and returns its result.
fn write<T: Send + 'static>(
    store: &Accounts,
    work: impl Fn(&mut dyn AccountWriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.change(move |tx| work(tx)).wait().unwrap()
}

/// Runs a read closure on committed data.
fn read<T: Send + 'static>(
    store: &Accounts,
    work: impl FnOnce(&mut dyn AccountReadTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.query(|tx| work(tx)).wait().unwrap()
}

/// Inserts an ordinary user with this name.
fn insert_user(store: &Accounts, name: &'static str) -> UserId {
    write(store, move |tx| insert(tx, &user(name)))
}
