//! Who uses deprecated things.

use ::deprecations::{Use, UseQueries, UseRepository, UseSum};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

#[cfg(test)]
use super::Looking;
use super::{Recording, ends_of, nothing, recorded};

recorded! {
    queries UseQueries {
        fn list_uses_of_user(user: UserId, limit: usize) -> Vec<Use>;
        fn list_uses_of_record(record: &str, limit: usize) -> Vec<Use>;
        fn sum_uses_of_record(record: &str) -> Option<UseSum>;
    }
    changes UseRepository {
        fn add_uses(uses: &[Use]) -> (), ends nothing;
        fn delete_uses_before(last_at: Timestamp, limit: usize) -> usize, ends nothing;
    }
}
