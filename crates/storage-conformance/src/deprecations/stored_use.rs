//! A count of uses as an entity.

use api_conventions::ids::{ApplicationId, TokenId, UserId};
use api_conventions::time::Timestamp;
use deprecations::usage::MAX_USES;
use deprecations::{Holder, Use, UseCount, UseKey};

use super::{token, uses};
use crate::areas::Uses;
use crate::entity::declare::entity;
use crate::samples::HOSTILE;

/// Uses by every kind of holder.
fn of_each_holder() -> Vec<Use> {
    let last = UserId::new(i64::MAX);
    let keys = [
        UseKey::new(HOSTILE, last, Holder::Session),
        UseKey::new(HOSTILE, last, Holder::Token(TokenId::new(i64::MAX))),
        UseKey::new("", UserId::new(1), Holder::Token(TokenId::new(1))),
        UseKey::new("a", last, Holder::Application(ApplicationId::new(i64::MAX))),
        UseKey::new("A", last, Holder::Application(ApplicationId::new(1))),
        UseKey::of_others(HOSTILE),
        UseKey::of_others(""),
    ];
    let edges = keys.into_iter().enumerate().map(|(index, key)| Use {
        key,
        count: UseCount {
            uses: [1, MAX_USES][index % 2],
            first_at: Timestamp::MIN,
            last_at: [Timestamp::MIN, Timestamp::MAX][index % 2],
        },
    });
    edges.collect()
}

entity! {
    /// A count of uses. Counts have no owner: the user, the record and the holder are the key.
    StoredUse in Uses, of (): Use => Use;
    owners: |_harness| [(), ()];
    key: |row| -> UseKey { row.key.clone() }, unknown: token("unknown", 1, 1);
    sample: |(), number| uses(token("sample", number.into(), 1), u64::from(number) + 1, [1, 2]);
    edges: |()| of_each_holder();
    insert: |tx, new| {
        tx.add_uses(std::slice::from_ref(new))?;
        Ok(new.key.clone())
    };
    find: |tx, (), key| {
        let listed = tx.list_uses_of_record(key.record(), 100)?;
        Ok(listed.into_iter().find(|row| row.key == *key))
    }, by owner: false;
    expected: |new, _found| new.clone();
}
