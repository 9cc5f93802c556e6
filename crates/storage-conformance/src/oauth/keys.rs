//! Signing keys.

use api_conventions::ids::SigningKeyId;
use api_conventions::time::Timestamp;
use oauth_provider::{NewSigningKey, SigningAlgorithm, SigningKey};
use storage::{StoreErrorKind, StoreExt as _};

use super::samples::{read, write};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::{HOSTILE, race, timestamp};

fn key(kid: &str, algorithm: SigningAlgorithm, generation: i64) -> NewSigningKey {
    NewSigningKey {
        kid: kid.to_owned(),
        algorithm,
        generation,
        public_jwk: format!(r#"{{"kid":"{kid}"}}"#),
        sealed: b"sealed".to_vec(),
        created_at: timestamp(0),
        signs_from: timestamp(10),
    }
}

fn insert(store: &Oauth, new: NewSigningKey) -> Option<SigningKeyId> {
    write(store, move |tx| tx.insert_signing_key(&new))
}

fn list_keys(store: &Oauth) -> Vec<SigningKey> {
    read(store, |tx| tx.list_signing_keys())
}

fn kids(store: &Oauth) -> Vec<String> {
    list_keys(store).into_iter().map(|key| key.kid).collect()
}

pub(super) fn o60_a_key_comes_back_as_it_was_written(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let every_byte: Vec<u8> = (0..=u8::MAX).collect();
    let odd = NewSigningKey {
        public_jwk: HOSTILE.repeat(20),
        sealed: every_byte.repeat(10),
        created_at: Timestamp::MIN,
        signs_from: Timestamp::MAX,
        ..key("odd", SigningAlgorithm::Rs256, i64::MAX)
    };
    let rest = [SigningAlgorithm::Es256, SigningAlgorithm::EdDsa];
    let plain = rest.map(|algorithm| key(algorithm.as_str(), algorithm, 1));
    let mut expected = Vec::new();
    for new in [odd].into_iter().chain(plain) {
        let id = insert(store, new.clone()).expect("the generation is free");
        expected.push(SigningKey {
            id,
            kid: new.kid,
            algorithm: new.algorithm,
            generation: new.generation,
            public_jwk: new.public_jwk,
            sealed: new.sealed,
            created_at: new.created_at,
            signs_from: new.signs_from,
        });
        // `Debug` hides part of a key, so the keys are compared with `==`.
        assert!(list_keys(store) == expected, "{expected:?}");
    }
}

pub(super) fn o61_an_algorithm_has_one_key_of_a_generation(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let (rsa, curve) = (SigningAlgorithm::Rs256, SigningAlgorithm::Es256);
    assert!(insert(store, key("first", rsa, 1)).is_some());
    assert_eq!(insert(store, key("again", rsa, 1)), None);
    assert_eq!(kids(store), ["first"], "nothing was written");
    assert!(insert(store, key("next", rsa, 2)).is_some());
    assert!(insert(store, key("other", curve, 1)).is_some());
    // The closure continues after a refusal.
    let ids = write(store, move |tx| {
        let refused = tx.insert_signing_key(&key("late", curve, 1))?;
        Ok((refused, tx.insert_signing_key(&key("last", curve, 2))?))
    });
    assert!(matches!(ids, (None, Some(_))), "{ids:?}");
    assert_eq!(kids(store), ["first", "next", "other", "last"]);
}

pub(super) fn o62_a_kid_is_unique(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    insert(store, key("kid", SigningAlgorithm::Rs256, 1));
    for (algorithm, generation) in [(SigningAlgorithm::Rs256, 2), (SigningAlgorithm::Es256, 1)] {
        let again =
            store.change(move |tx| tx.insert_signing_key(&key("kid", algorithm, generation)));
        let error = again.wait().unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    }
    insert(store, key("KID", SigningAlgorithm::Rs256, 2));
    assert_eq!(kids(store), ["kid", "KID"], "ids are case-sensitive");
}

pub(super) fn o63_keys_are_listed_the_oldest_first(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let rows = [
        ("late", 9, 1),
        ("tie-b", 5, 2),
        ("early", 1, 3),
        ("tie-a", 5, 4),
    ];
    for (kid, seconds, generation) in rows {
        let new = NewSigningKey {
            created_at: timestamp(seconds),
            ..key(kid, SigningAlgorithm::EdDsa, generation)
        };
        insert(store, new);
    }
    assert_eq!(kids(store), ["early", "tie-b", "tie-a", "late"]);
}

pub(super) fn o64_keys_are_deleted_by_their_ids(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let [first, _, third] = [1, 2, 3].map(|generation| {
        let new = key(
            &format!("{generation}"),
            SigningAlgorithm::Rs256,
            generation,
        );
        insert(store, new).expect("the generation is free")
    });
    let ids = [third, SigningKeyId::new(i64::MAX), first, third];
    write(store, move |tx| tx.delete_signing_keys(&ids));
    assert_eq!(kids(store), ["2"]);
    write(store, |tx| tx.delete_signing_keys(&[]));
    assert_eq!(kids(store), ["2"]);
    // The generation of a deleted key is free.
    assert!(insert(store, key("1 again", SigningAlgorithm::Rs256, 1)).is_some());
}

pub(super) fn o65_exactly_one_of_several_nodes_creates_the_key_of_a_generation(
    harness: &mut AreaHarness<Oauth>,
) {
    let store = harness.store();
    for generation in 1..=3 {
        let created = race(8, |node| {
            let kid = format!("{generation} of {node}");
            insert(store, key(&kid, SigningAlgorithm::Es256, generation))
        });
        assert_eq!(created.iter().flatten().count(), 1, "{created:?}");
    }
    assert_eq!(list_keys(store).len(), 3);
}
