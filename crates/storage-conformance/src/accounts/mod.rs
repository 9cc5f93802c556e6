//! `A`: promises of a store about users and tokens.

mod audit;
mod changes;
mod deletions;
mod deploy_tokens;
mod entities;
mod invitations;
mod revocations;
pub(crate) mod tokens;
mod users;

pub use deploy_tokens::StoredDeployToken;
pub use entities::{StoredToken, StoredUser};
pub use invitations::StoredInvitation;

use accounts::{AccountRepository, InsertUser, NewUser, UserKind, Username};
use api_conventions::ids::UserId;
use storage::{StoreError, StoreExt as _};

use crate::areas::Accounts;
use crate::samples::{timestamp, unexpected_conflict};
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `accounts`.
    accounts_suite = accounts::cases for Accounts;
    users {
        a02_absence_is_none,
        a03_a_username_is_found_in_any_case,
        a04_usernames_are_unique_regardless_of_case,
        a05_email_addresses_are_unique_regardless_of_case,
        a07_users_are_listed_once_per_id_and_unknown_ids_are_left_out,
        a08_there_is_one_bot_of_a_kind,
    }
    changes {
        a10_a_change_writes_the_given_fields_and_leaves_all_others_unchanged,
        a11_lists_and_searches_use_the_new_values_after_a_change,
        a12_a_change_to_another_users_email_address_is_refused_in_any_case,
        a13_exactly_one_concurrent_change_to_an_email_address_succeeds,
        a14_a_refused_write_changes_no_user,
    }
    deletions {
        u01_a_user_who_is_deleted_has_no_name_and_no_access,
        u02_access_of_a_user_is_deleted_in_steps_and_the_user_last,
        u03_there_is_one_ghost,
    }
    tokens {
        a22_a_token_is_revoked_once_and_the_first_timestamp_stays,
        a23_the_time_of_last_use_only_moves_forward,
        a28_token_names_are_listed_once_per_id_and_unknown_ids_are_left_out,
        a29_a_token_is_found_by_its_id,
        a35_tokens_are_listed_by_every_condition,
        a36_pages_of_tokens_have_each_token_once,
        a37_the_active_successor_of_a_family_is_found,
        a38_tokens_of_a_place_are_listed_apart_from_others,
        a56_expiring_tokens_are_announced_once,
        a24_the_epoch_grows_with_every_raise,
        a25_racing_raises_never_give_the_same_epoch,
        a26_a_refused_write_raises_no_epoch,
    }
    deploy_tokens {
        a42_deploy_tokens_are_listed_by_place_and_expiry,
        a43_a_deletion_ends_one_deploy_token_or_those_of_a_place,
    }
    audit {
        a44_audit_entries_are_listed_by_entity_kind_and_author,
        a45_times_of_audit_entries_are_inclusive_and_keep_the_order_of_ids,
        a46_pages_of_audit_entries_have_each_entry_once,
        a47_an_audit_entry_is_found_by_its_id,
    }
    invitations {
        a51_one_of_many_racing_uses_gets_an_invitation,
        a52_invitations_are_listed_newest_first_and_deleted_one_by_one_or_by_place,
        a53_expired_invitations_are_deleted_in_steps,
        a54_a_status_is_replaced_and_cleared_after_its_time,
        a55_cleared_statuses_are_deleted_in_steps,
        u13_the_status_and_the_invitations_of_a_deleted_user_are_deleted,
    }
    revocations {
        a30_revocations_are_stored_under_the_new_epoch,
        a31_the_list_begins_after_an_epoch_and_is_bounded,
        a32_deleted_revocations_are_not_listed_and_the_epoch_stays,
        a33_a_refused_write_keeps_no_revocation,
        a34_a_reader_of_an_epoch_sees_all_revocations_up_to_it,
    }
    [StoredUser] {
        a01_a_user_comes_back_as_it_was_written = clauses::comes_back,
        a06_one_of_many_racing_users_gets_the_name = clauses::unique,
        a09_a_refused_write_leaves_no_user = clauses::rollback,
    }
    [StoredToken] {
        a20_a_token_comes_back_as_it_was_written = clauses::comes_back,
        a21_a_digest_is_unique = clauses::unique,
        a27_a_refused_write_leaves_no_token = clauses::rollback,
    }
    [StoredDeployToken] {
        a39_a_deploy_token_comes_back_as_it_was_written = clauses::comes_back,
        a40_a_digest_of_a_deploy_token_is_unique = clauses::unique,
        a41_a_refused_write_leaves_no_deploy_token = clauses::rollback,
    }
    [StoredInvitation] {
        a48_an_invitation_comes_back_as_it_was_written = clauses::comes_back,
        a49_a_digest_of_an_invitation_is_unique = clauses::unique,
        a50_a_refused_write_leaves_no_invitation = clauses::rollback,
    }
}

/// An ordinary user with this username.
pub(crate) fn user(name: &str) -> NewUser {
    NewUser {
        username: Username::parse(name).unwrap(),
        name: format!("The user {name}"),
        email: format!("{name}@example.com"),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: timestamp(0),
    }
}

/// Inserts a user whose username and address are not taken.
pub(crate) fn insert(tx: &mut dyn AccountRepository, user: &NewUser) -> Result<UserId, StoreError> {
    match tx.insert_user(user)? {
        InsertUser::Inserted(id) => Ok(id),
        taken => Err(unexpected_conflict(
            "insert a user",
            &format!("{taken:?}: {user:?}"),
        )),
    }
}

/// Inserts the user that owns the projects of [`insert_places`](crate::projects::insert_places).
///
/// # Panics
/// If the store fails, or already has the user.
pub fn insert_place_owner(store: &Accounts) -> UserId {
    let inserted = store.change(|tx| insert(tx, &user("place-owner")));
    inserted.wait().unwrap()
}

/// Inserts the users that a [`Harness`](crate::Harness) returns when its store checks references.
///
/// # Panics
/// If the store fails, or already has the users.
pub fn insert_people(store: &Accounts) -> [UserId; 3] {
    let inserted = store.change(|tx| {
        let mut insert = |name| insert(tx, &user(name));
        Ok([
            insert("first-person")?,
            insert("second-person")?,
            insert("third-person")?,
        ])
    });
    inserted.wait().unwrap()
}
