//! Client keys.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use error_tracking::model::{ClientKey, ClientKeyChange, NewClientKey, PublicKey};
use error_tracking::store::CounterFilter;
use storage::{StoreErrorKind, StoreExt as _};

use super::{client_key, counter};
use crate::areas::{AreaHarness, Errors};
use crate::entity::declare::entity;
use crate::samples::{page, timestamp};

fn digits(text: &str) -> PublicKey {
    PublicKey::parse(text).unwrap()
}

entity! {
    /// A client key. It is looked up by its digits, whatever its project; the digits of the samples include their
    /// projects.
    StoredClientKey in Errors, of ProjectId: NewClientKey => ClientKey;
    owners: |harness| harness.places();
    key: |key| -> String { key.public_key.as_str().to_owned() }, unknown: "ab".repeat(16);
    sample: |project, number| client_key(project, number);
    edges: |project| vec![
        NewClientKey { created_at: Timestamp::MAX, ..client_key(project, u32::MAX) },
        NewClientKey { created_at: Timestamp::MIN, ..client_key(project, u32::MAX - 1) },
    ];
    insert: |tx, new| Ok(tx.insert_client_key(new)?.public_key.as_str().to_owned());
    find: |tx, project, key| {
        let found = tx.find_client_key(&digits(key))?;
        Ok(found.filter(|key| key.project_id == project))
    }, by owner: true;
    expected: |new, found| ClientKey {
        id: found.id,
        project_id: new.project_id,
        public_key: new.public_key.clone(),
        active: true,
        events_per_minute: None,
        created_at: new.created_at,
    };
    list Ascending: |tx, project, page| tx.list_client_keys(project, page);
    change: |tx, project, key, number| {
        let Some(found) = tx.find_client_key(&digits(key))? else { return Ok(false) };
        let active = ClientKeyChange::Active(number.is_multiple_of(2));
        let limit = ClientKeyChange::EventsPerMinute(Some(number));
        let first = tx.update_client_key(project, found.id, active)?;
        let second = tx.update_client_key(project, found.id, limit)?;
        Ok(first.is_some() && second.is_some())
    };
    changed: |key, number| ClientKey {
        active: number.is_multiple_of(2),
        events_per_minute: Some(number),
        ..key.clone()
    };
    delete: |tx, project, key| {
        let Some(found) = tx.find_client_key(&digits(key))? else { return Ok(false) };
        let deleted = tx.delete_client_key(project, found.id)?;
        Ok(deleted.is_some_and(|deleted| deleted == found))
    };
    try_insert: |tx, new| {
        let inserted = tx.insert_client_key(new)?;
        Ok(Some(inserted.public_key.as_str().to_owned()))
    }, per owner: true;
    clashing: |project, number| NewClientKey {
        created_at: timestamp(9),
        ..client_key(project, number)
    };
}

pub(super) fn t20_a_change_of_a_client_key_leaves_the_rest_of_it(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let changed = harness.store().change(move |tx| {
        let created = tx.insert_client_key(&client_key(project, 1))?;
        let beside = tx.insert_client_key(&client_key(project, 2))?;
        let mut expected = created.clone();
        for limit in [Some(u32::MAX), Some(0), None] {
            for active in [false, true] {
                for change in [
                    ClientKeyChange::EventsPerMinute(limit),
                    ClientKeyChange::Active(active),
                ] {
                    match change {
                        ClientKeyChange::Active(active) => expected.active = active,
                        ClientKeyChange::EventsPerMinute(limit) => {
                            expected.events_per_minute = limit;
                        }
                    }
                    let given = tx.update_client_key(project, created.id, change)?;
                    assert_eq!(given.as_ref(), Some(&expected));
                    assert_eq!(tx.find_client_key(&created.public_key)?, given);
                }
            }
        }
        assert_eq!(tx.find_client_key(&beside.public_key)?, Some(beside));
        Ok(())
    });
    changed.wait().unwrap();
}

pub(super) fn t22_public_keys_are_unique_across_all_projects(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let created = store.change(move |tx| tx.insert_client_key(&client_key(project, 1)));
    let created = created.wait().unwrap();
    let second = store.change(move |tx| {
        tx.insert_client_key(&NewClientKey {
            project_id: other,
            ..client_key(project, 1)
        })
    });
    let error = second.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    let found = store.query(move |tx| {
        assert_eq!(tx.list_client_keys(other, page(1, 20))?.items, []);
        tx.find_client_key(&client_key(project, 1).public_key)
    });
    assert_eq!(found.wait().unwrap(), Some(created));
}

pub(super) fn t21_a_deleted_client_key_is_not_found_and_its_counters_stay(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, _] = harness.places();
    let store = harness.store();
    let deleted = store.change(move |tx| {
        let created = tx.insert_client_key(&client_key(project, 1))?;
        let counter = counter(project, created.id.get(), 7);
        tx.add_counters(&[counter])?;
        let deleted = tx.delete_client_key(project, created.id)?;
        assert_eq!(deleted.as_ref(), Some(&created));
        Ok((created, counter))
    });
    let (created, counter) = deleted.wait().unwrap();
    let found = store.change(move |tx| {
        assert_eq!(tx.find_client_key(&created.public_key)?, None);
        assert_eq!(tx.delete_client_key(project, created.id)?, None);
        let change = ClientKeyChange::Active(true);
        assert_eq!(tx.update_client_key(project, created.id, change)?, None);
        let filter = CounterFilter {
            project_id: project,
            from: counter.of.day,
            to: counter.of.day,
        };
        assert_eq!(tx.list_counters(&filter)?, [counter]);
        // Its digits are free, and its id is not reused.
        let again = tx.insert_client_key(&client_key(project, 1))?;
        assert_ne!(again.id, created.id);
        Ok(())
    });
    found.wait().unwrap();
}
