//! `D`: promises of a store about uses of deprecated features by users.

mod deletion;
mod lists;
mod stored_use;
mod sums;

pub use stored_use::StoredUse;

use api_conventions::ids::{TokenId, UserId};
use deprecations::{Holder, Use, UseCount, UseKey};
use storage::StoreExt as _;

use crate::areas::Uses;
use crate::samples::timestamp;
use crate::suite::suite;

suite! {
    $
    /// Tests that a [`Harness`](crate::Harness)'s store keeps the promises of the repositories of `deprecations`.
    deprecations_suite = deprecations::cases for Uses;
    sums {
        d03_uses_of_a_key_are_added,
        d04_keys_are_separate_by_record_user_and_holder,
        d07_the_uses_of_a_record_are_summed,
        d08_a_full_count_stays_full,
        d09_thousands_are_added_at_once_and_counted_up_to_ten_thousand,
        d10_racing_uses_are_all_added,
    }
    lists {
        d05_the_uses_of_a_user_are_listed_the_last_first,
        d06_the_uses_of_a_record_are_listed_the_last_first,
    }
    deletion {
        d11_old_uses_are_deleted_up_to_a_limit,
        u07_uses_of_a_user_are_deleted_in_steps,
        d12_uses_outlive_the_store needs Durable,
    }
    [StoredUse] {
        d01_a_use_comes_back_as_it_was_written = clauses::comes_back,
        d02_a_refused_write_leaves_no_use = clauses::rollback,
    }
}

/// Key of a user's uses with a token.
fn token(record: &str, user: i64, token: i64) -> UseKey {
    UseKey::new(
        record,
        UserId::new(user),
        Holder::Token(TokenId::new(token)),
    )
}

/// A number of uses under a key, first and last at these seconds.
fn uses(key: UseKey, uses: u64, [first, last]: [i64; 2]) -> Use {
    Use {
        key,
        count: UseCount {
            uses,
            first_at: timestamp(first),
            last_at: timestamp(last),
        },
    }
}

fn add(store: &Uses, uses: Vec<Use>) {
    let added = store.change(move |tx| tx.add_uses(&uses));
    added.wait().unwrap();
}

fn list_of_record(store: &Uses, record: &'static str, limit: usize) -> Vec<Use> {
    let listed = store.query(move |tx| tx.list_uses_of_record(record, limit));
    listed.wait().unwrap()
}

fn list_of_user(store: &Uses, user: i64, limit: usize) -> Vec<Use> {
    let listed = store.query(move |tx| tx.list_uses_of_user(UserId::new(user), limit));
    listed.wait().unwrap()
}
