//! Runners and registration tokens.

use ::pipelines::model::{
    ContactFilter, ContactState, NewRunner, RegistrationToken, Runner, RunnerAccess, RunnerContact,
    RunnerFilter, RunnerInfo, RunnerPlace, RunnerSettings, RunnerType, RunnersOf,
};
use ::pipelines::store::CiWriteTx;
use api_conventions::ids::{NamespaceId, ProjectId, RunnerId, UserId};
use api_conventions::page::Total;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use crate::areas::{AreaHarness, Reports};
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

const PROJECT: RunnerPlace = RunnerPlace::Project(ProjectId::new(7));
const OTHER_PROJECT: RunnerPlace = RunnerPlace::Project(ProjectId::new(8));
const GROUP: RunnerPlace = RunnerPlace::Group(NamespaceId::new(7));

/// A runner whose authentication token is its description.
fn runner(place: RunnerPlace, description: &str) -> NewRunner {
    NewRunner {
        place,
        settings: RunnerSettings {
            description: description.to_owned(),
            ..RunnerSettings::default()
        },
        info: RunnerInfo::default(),
        digest: SecretDigest::of(description),
        creator_id: UserId::new(1),
        created_at: timestamp(100),
    }
}

/// Runners at the limits of the columns.
fn edges() -> Vec<NewRunner> {
    let hostile = || Some(HOSTILE.to_owned());
    let full = NewRunner {
        settings: RunnerSettings {
            description: HOSTILE.repeat(9),
            maintenance_note: hostile(),
            paused: true,
            locked: true,
            run_untagged: false,
            access_level: RunnerAccess::RefProtected,
            maximum_timeout: Some(i32::MAX),
            tags: ["a", "b,c", "%_\\"].map(str::to_owned).to_vec(),
        },
        info: RunnerInfo {
            name: hostile(),
            version: hostile(),
            revision: hostile(),
            platform: hostile(),
            architecture: hostile(),
        },
        digest: SecretDigest::of(&HOSTILE.repeat(9)),
        creator_id: UserId::new(i64::MAX),
        created_at: Timestamp::MAX,
        ..runner(GROUP, "full")
    };
    let early = NewRunner {
        created_at: Timestamp::MIN,
        ..runner(RunnerPlace::Instance, "early")
    };
    vec![full, early]
}

/// Settings by a number.
fn changed_settings(number: u32) -> RunnerSettings {
    RunnerSettings {
        description: format!("changed {number}"),
        maintenance_note: number.is_multiple_of(2).then(|| "note".to_owned()),
        paused: number.is_multiple_of(2),
        tags: vec![format!("tag {number}")],
        ..RunnerSettings::default()
    }
}

entity! {
    /// A runner, which is looked up by its id and by the digest of its token. Owners have no meaning here.
    StoredRunner in Reports, of ProjectId: NewRunner => Runner;
    owners: |harness| harness.places();
    key: |runner| -> RunnerId { runner.id }, unknown: RunnerId::new(i64::MAX);
    sample: |_, number| runner(PROJECT, &format!("runner {number}"));
    edges: |_| edges();
    insert: |tx, new| {
        let id = tx.insert_runner(new)?.id;
        assert_eq!(tx.find_runner_by_digest(&new.digest)?, tx.find_runner(id)?);
        Ok(id)
    };
    find: |tx, _, id| tx.find_runner(*id), by owner: false;
    expected: |new, found| new.stored(found.id);
    change: |tx, _, id, number| tx.update_runner(*id, &changed_settings(number));
    changed: |runner, number| Runner { settings: changed_settings(number), ..runner.clone() };
    delete: |tx, _, id| tx.delete_runner(*id);
    try_insert: |tx, new| Self::insert(tx, new).map(Some), per owner: false;
    clashing: |_, number| NewRunner {
        settings: RunnerSettings::default(),
        ..Self::sample(ProjectId::new(1), number)
    };
}

/// Inserts runners of each place. That of both projects is paused and has tags; all but the one of the group were
/// contacted, at the second in their name.
fn insert_various(tx: &mut dyn CiWriteTx) -> Result<(), StoreError> {
    let mut both = runner(PROJECT, "both 300");
    both.settings.paused = true;
    both.settings.tags = ["linux", "big"].map(str::to_owned).to_vec();
    let contacts = [
        (tx.insert_runner(&both)?.id, 300),
        (tx.insert_runner(&runner(PROJECT, "seven 200"))?.id, 200),
        (
            tx.insert_runner(&runner(RunnerPlace::Instance, "all 50"))?
                .id,
            50,
        ),
    ];
    tx.insert_runner(&runner(GROUP, "group"))?;
    assert!(tx.assign_runner(contacts[0].0, ProjectId::new(8))?);
    assert!(!tx.assign_runner(contacts[0].0, ProjectId::new(8))?);
    let contact = |(id, seconds)| RunnerContact {
        id,
        at: timestamp(seconds),
        info: RunnerInfo::default(),
    };
    tx.touch_runners(&contacts.map(contact))
}

/// Asserts that a filter lists the runners with these descriptions, separated by commas.
#[track_caller]
fn check_list(store: &Reports, filter: &RunnerFilter, expected: &str) {
    let of = filter.clone();
    let listed = store.query(move |tx| tx.list_runners(&of, page(1, 100)));
    let listed = listed.wait().unwrap();
    let names = listed
        .items
        .iter()
        .map(|runner| &*runner.settings.description);
    let names: Vec<&str> = names.collect();
    assert_eq!(names.join(", "), expected, "{filter:?}");
    let count = u64::try_from(names.len()).unwrap();
    assert_eq!(listed.total, Total::Exact(count), "{filter:?}");
}

fn of(places: &[RunnerPlace]) -> RunnerFilter {
    RunnerFilter::new(RunnersOf::Places(places.to_vec()))
}

pub(super) fn j85_runners_are_listed_by_place_kind_and_state(harness: &mut AreaHarness<Reports>) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let all = RunnerFilter::new(RunnersOf::Everything);
    for (filter, expected) in [
        (all.clone(), "both 300, seven 200, all 50, group"),
        (of(&[]), ""),
        (of(&[PROJECT]), "both 300, seven 200"),
        (of(&[OTHER_PROJECT]), "both 300"),
        (of(&[OTHER_PROJECT, GROUP]), "both 300, group"),
        (
            of(&[PROJECT, OTHER_PROJECT, RunnerPlace::Instance]),
            "both 300, seven 200, all 50",
        ),
        (of(&[RunnerPlace::Group(NamespaceId::new(8))]), ""),
    ] {
        check_list(store, &filter, expected);
    }
    let kind = |runner_type| RunnerFilter {
        runner_type: Some(runner_type),
        ..all.clone()
    };
    check_list(store, &kind(RunnerType::Instance), "all 50");
    check_list(store, &kind(RunnerType::Group), "group");
    let paused = |paused| RunnerFilter {
        paused: Some(paused),
        ..all.clone()
    };
    check_list(store, &paused(true), "both 300");
    check_list(store, &paused(false), "seven 200, all 50, group");
    for (tags, expected) in [
        (&["linux"][..], "both 300"),
        (&["big", "linux"], "both 300"),
        (&["big", "small"], ""),
        (&["inu"], ""),
        (&["Linux"], ""),
    ] {
        let tags = tags.iter().map(ToString::to_string).collect();
        check_list(
            store,
            &RunnerFilter {
                tags,
                ..all.clone()
            },
            expected,
        );
    }
    let group = store.query(|tx| tx.find_runner_by_digest(&SecretDigest::of("group")));
    let group = group.wait().unwrap().unwrap().id;
    for (state, live, expected) in [
        (ContactState::Online, vec![], "both 300"),
        (ContactState::Online, vec![group], "both 300, group"),
        (ContactState::Offline, vec![], "seven 200, all 50"),
        (ContactState::Offline, vec![group], "seven 200, all 50"),
        (ContactState::NotConnected, vec![], "group"),
        (ContactState::NotConnected, vec![group], ""),
        (ContactState::Stale, vec![], "all 50, group"),
        (ContactState::Stale, vec![group], "all 50"),
    ] {
        let contact = ContactFilter {
            state,
            online_since: timestamp(200),
            stale_until: timestamp(100),
            live,
        };
        let filter = RunnerFilter {
            contact: Some(contact),
            ..all.clone()
        };
        check_list(store, &filter, expected);
    }
    for (number, expected) in [(1, 3), (2, 1), (3, 0)] {
        let of = all.clone();
        let listed = store.query(move |tx| tx.list_runners(&of, page(number, 3)));
        let listed = listed.wait().unwrap();
        assert_eq!(
            (listed.items.len(), listed.has_next),
            (expected, number == 1)
        );
    }
}

pub(super) fn j86_a_contact_is_stored_unless_a_later_one_is(harness: &mut AreaHarness<Reports>) {
    let touched = harness.store().change(|tx| {
        let id = tx.insert_runner(&runner(PROJECT, "one"))?.id;
        let contact = |seconds, version: Option<&str>| RunnerContact {
            id,
            at: timestamp(seconds),
            info: RunnerInfo {
                version: version.map(str::to_owned),
                ..RunnerInfo::default()
            },
        };
        let unknown = RunnerContact {
            id: RunnerId::new(i64::MAX),
            ..contact(5, None)
        };
        tx.touch_runners(&[contact(5, Some("1")), unknown])?;
        tx.touch_runners(&[contact(4, Some("2"))])?;
        let first = tx.find_runner(id)?;
        tx.touch_runners(&[contact(6, None)])?;
        let found = [first, tx.find_runner(id)?];
        Ok(found.map(|runner| runner.map(|it| (it.contacted_at, it.info.version))))
    });
    let at = |seconds| Some((Some(timestamp(seconds)), Some("1".to_owned())));
    assert_eq!(touched.wait().unwrap(), [at(5), at(6)]);
}

pub(super) fn j87_a_runner_ends_with_its_last_place(harness: &mut AreaHarness<Reports>) {
    let store = harness.store();
    store.change(|tx| insert_various(tx)).wait().unwrap();
    let everything = RunnerFilter::new(RunnersOf::Everything);
    let token = |place| RegistrationToken {
        place,
        creator_id: UserId::new(1),
        created_at: timestamp(1),
    };
    let deleted = store.change(move |tx| {
        tx.put_registration_token(&token(PROJECT), &SecretDigest::of("seven"))?;
        tx.put_registration_token(&token(GROUP), &SecretDigest::of("group"))?;
        let first = tx.delete_runners_of(PROJECT)?;
        let found = ["seven", "group"].map(SecretDigest::of);
        let found = [
            tx.find_registration_token(&found[0])?,
            tx.find_registration_token(&found[1])?,
        ];
        Ok((first, tx.delete_runners_of(PROJECT)?, found))
    });
    assert_eq!(deleted.wait().unwrap(), (1, 0, [None, Some(token(GROUP))]));
    check_list(store, &everything, "both 300, all 50, group");
    let places = store.change(|tx| {
        let both = tx.find_runner_by_digest(&SecretDigest::of("both 300"))?;
        let both = both.unwrap().id;
        assert!(tx.lock_runner(both)?.is_some());
        assert!(tx.assign_runner(both, ProjectId::new(9))?);
        let mut places = tx.list_runner_places(both)?;
        places.sort();
        let ended = tx.unassign_runner(both, ProjectId::new(9))?;
        let again = tx.unassign_runner(both, ProjectId::new(9))?;
        Ok((places, ended, again, tx.list_runner_places(both)?))
    });
    let nine = RunnerPlace::Project(ProjectId::new(9));
    let expected = (vec![OTHER_PROJECT, nine], true, false, vec![OTHER_PROJECT]);
    assert_eq!(places.wait().unwrap(), expected);
    let deleted = store.change(|tx| tx.delete_runners_of(OTHER_PROJECT));
    assert_eq!(deleted.wait().unwrap(), 1);
    check_list(store, &everything, "all 50, group");
    let deleted = store.change(|tx| tx.delete_runners_of(GROUP));
    assert_eq!(deleted.wait().unwrap(), 1);
    check_list(store, &everything, "all 50");
}

pub(super) fn j88_a_registration_token_replaces_the_previous_one_of_its_place(
    harness: &mut AreaHarness<Reports>,
) {
    let token = |place, seconds| RegistrationToken {
        place,
        creator_id: UserId::new(seconds),
        created_at: timestamp(seconds),
    };
    let found = harness.store().change(move |tx| {
        let digests = ["first", "second", "instance"].map(SecretDigest::of);
        tx.put_registration_token(&token(GROUP, 1), &digests[0])?;
        tx.put_registration_token(&token(RunnerPlace::Instance, 2), &digests[2])?;
        tx.put_registration_token(&token(GROUP, 3), &digests[1])?;
        Ok([
            tx.find_registration_token(&digests[0])?,
            tx.find_registration_token(&digests[1])?,
            tx.find_registration_token(&digests[2])?,
        ])
    });
    let expected = [
        None,
        Some(token(GROUP, 3)),
        Some(token(RunnerPlace::Instance, 2)),
    ];
    assert_eq!(found.wait().unwrap(), expected);
}

pub(super) fn j89_a_replaced_token_of_a_runner_finds_nothing(harness: &mut AreaHarness<Reports>) {
    let found = harness.store().change(|tx| {
        let id = tx.insert_runner(&runner(PROJECT, "one"))?.id;
        let new = SecretDigest::of("new");
        let unknown = tx.replace_runner_token(RunnerId::new(i64::MAX), &new)?;
        let replaced = tx.replace_runner_token(id, &new)?;
        let previous = tx.find_runner_by_digest(&SecretDigest::of("one"))?;
        let current = tx.find_runner_by_digest(&new)?;
        Ok((
            unknown,
            replaced,
            previous,
            current.map(|runner| runner.id == id),
        ))
    });
    assert_eq!(found.wait().unwrap(), (false, true, None, Some(true)));
}

pub(super) fn j92_runners_of_a_creator_get_a_successor_up_to_a_limit(
    harness: &mut AreaHarness<Reports>,
) {
    let [creator, other, successor] = [1, 2, 3].map(UserId::new);
    let store = harness.store();
    let token = |place, creator_id| RegistrationToken {
        place,
        creator_id,
        created_at: timestamp(100),
    };
    let created = store.change(move |tx| {
        let by = |creator_id, description: &str| NewRunner {
            creator_id,
            ..runner(PROJECT, description)
        };
        let mut ids = Vec::new();
        for (user, name) in [(creator, "one"), (creator, "two"), (other, "three")] {
            ids.push(tx.insert_runner(&by(user, name))?.id);
        }
        tx.put_registration_token(&token(PROJECT, creator), &SecretDigest::of("a"))?;
        tx.put_registration_token(&token(GROUP, other), &SecretDigest::of("b"))?;
        Ok(ids)
    });
    let ids = created.wait().unwrap();
    for expected in [2, 1, 0] {
        let released = store.change(move |tx| tx.release_runners_of(creator, successor, 2));
        assert_eq!(
            released.wait().unwrap(),
            expected,
            "number of released rows"
        );
    }
    let found = store.query(move |tx| {
        let mut creators = Vec::new();
        for id in ids {
            creators.extend(tx.find_runner(id)?.map(|runner| runner.creator_id));
        }
        for secret in ["a", "b"] {
            let token = tx.find_registration_token(&SecretDigest::of(secret))?;
            creators.extend(token.map(|token| token.creator_id));
        }
        Ok(creators)
    });
    assert_eq!(
        found.wait().unwrap(),
        [successor, successor, other, successor, other]
    );
}
