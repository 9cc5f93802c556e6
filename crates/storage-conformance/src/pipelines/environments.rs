//! Environments.

use ::pipelines::model::{
    Environment, EnvironmentChange, EnvironmentFilter, EnvironmentName, EnvironmentState,
    EnvironmentTier, NewEnvironment,
};
use ::pipelines::store::{InsertEnvironment, UpdateEnvironment};
use api_conventions::ids::{EnvironmentId, ProjectId};
use api_conventions::time::Timestamp;
use storage::StoreExt as _;

use super::{deployment, environment, insert_deployment, insert_environment};
use crate::areas::{AreaHarness, Reports};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

fn change(number: u32) -> EnvironmentChange {
    EnvironmentChange {
        name: format!("{HOSTILE} {number}"),
        external_url: number.is_multiple_of(2).then(|| HOSTILE.to_owned()),
        state: EnvironmentState::Stopped,
        tier: EnvironmentTier::Production,
        updated_at: timestamp(i64::from(number) + 100),
    }
}

entity! {
    /// An environment.
    StoredEnvironment in Reports, of ProjectId: NewEnvironment => Environment;
    owners: |harness| harness.places();
    key: |environment| -> EnvironmentId { environment.id }, unknown: EnvironmentId::new(i64::MAX);
    sample: |project, number| environment(project, number);
    edges: |project| vec![
        NewEnvironment {
            name: HOSTILE.repeat(3),
            external_url: None,
            created_at: Timestamp::MAX,
            ..environment(project, 2)
        },
        NewEnvironment {
            name: "%_".to_owned(),
            external_url: Some(HOSTILE.to_owned()),
            tier: EnvironmentTier::Other,
            created_at: Timestamp::MIN,
            ..environment(project, 3)
        },
    ];
    insert: |tx, new| Ok(insert_environment(tx, new)?.id);
    find: |tx, project, id| tx.find_environment(project, *id), by owner: true;
    expected: |new, found| new.stored(found.id);
    list Ascending: |tx, project, page| tx.list_environments(&EnvironmentFilter::new(project), page);
    change: |tx, project, id, number| {
        let at = tx.lock_reports(project)?;
        let updated = tx.update_environment(&at, *id, &change(number))?;
        Ok(updated == UpdateEnvironment::Updated)
    };
    changed: |environment, number| {
        let mut environment = environment.clone();
        change(number).apply(&mut environment);
        environment
    };
    delete: |tx, project, id| {
        let at = tx.lock_reports(project)?;
        tx.delete_environment(&at, *id)
    };
    try_insert: |tx, new| {
        let at = tx.lock_reports(new.project_id)?;
        Ok(match tx.insert_environment(&at, new)? {
            InsertEnvironment::Inserted(environment) => Some(environment.id),
            InsertEnvironment::NameTaken | InsertEnvironment::SlugTaken => None,
        })
    }, per owner: true;
    clashing: |project, number| NewEnvironment {
        slug: format!("other-{number}"),
        external_url: None,
        ..environment(project, number)
    };
}

pub(super) fn j11_environment_names_and_slugs_are_unique_per_project(
    harness: &mut AreaHarness<Reports>,
) {
    let [project, other] = harness.places();
    let written = harness.store().change(move |tx| {
        let first = insert_environment(tx, &environment(project, 1))?;
        let second = insert_environment(tx, &environment(project, 2))?;
        let at = tx.lock_reports(project)?;
        let of_name = NewEnvironment {
            slug: "free".to_owned(),
            ..environment(project, 1)
        };
        let of_slug = NewEnvironment {
            name: "free".to_owned(),
            ..environment(project, 1)
        };
        assert_eq!(
            tx.insert_environment(&at, &of_name)?,
            InsertEnvironment::NameTaken
        );
        assert_eq!(
            tx.insert_environment(&at, &of_slug)?,
            InsertEnvironment::SlugTaken
        );
        let mut change = EnvironmentChange::of(&second, timestamp(9));
        change.name.clone_from(&first.name);
        let updated = tx.update_environment(&at, second.id, &change)?;
        assert_eq!(updated, UpdateEnvironment::NameTaken);
        assert_eq!(
            tx.find_environment(project, second.id)?.as_ref(),
            Some(&second)
        );
        // An environment's own name is no conflict.
        let updated = tx.update_environment(&at, first.id, &change)?;
        assert_eq!(updated, UpdateEnvironment::Updated);
        let unknown = EnvironmentId::new(i64::MAX);
        let updated = tx.update_environment(&at, unknown, &change)?;
        assert_eq!(updated, UpdateEnvironment::NotFound);
        insert_environment(tx, &environment(other, 1))?;
        let found = tx.find_environment_by_name(project, &first.name)?;
        assert_eq!(found.map(|found| found.id), Some(first.id));
        let listed = tx.list_environments_by_id(&[second.id, unknown])?;
        assert_eq!(listed, [second]);
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn j12_each_filter_of_environments_holds(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        for (number, name) in ["Production", "re_view/1", "review%2", "staging"]
            .iter()
            .enumerate()
        {
            let number = u32::try_from(number).unwrap();
            let new = NewEnvironment {
                name: (*name).to_owned(),
                ..environment(project, number)
            };
            let created = insert_environment(tx, &new)?;
            if number % 2 == 1 {
                let at = tx.lock_reports(project)?;
                let change = EnvironmentChange {
                    state: EnvironmentState::Stopped,
                    ..EnvironmentChange::of(&created, timestamp(50))
                };
                tx.update_environment(&at, created.id, &change)?;
            }
        }
        insert_environment(tx, &environment(other, 9)).map(drop)
    });
    written.wait().unwrap();
    let is = |name: &str| Some(EnvironmentName::Is(name.to_owned()));
    let holds = |text: &str| Some(EnvironmentName::Holds(text.to_owned()));
    let stopped = Some(EnvironmentState::Stopped);
    let available = Some(EnvironmentState::Available);
    for (name, state, expected) in [
        (
            None,
            None,
            &["Production", "re_view/1", "review%2", "staging"][..],
        ),
        (is("staging"), None, &["staging"]),
        (is("Staging"), None, &[]),
        (holds("VIEW"), None, &["re_view/1", "review%2"]),
        (holds("e_"), None, &["re_view/1"]),
        (holds("%"), None, &["review%2"]),
        (None, stopped, &["re_view/1", "staging"]),
        (None, available, &["Production", "review%2"]),
        (holds("view"), stopped, &["re_view/1"]),
        (is("staging"), available, &[]),
    ] {
        let filter = EnvironmentFilter {
            project_id: project,
            name,
            state,
        };
        let queried = filter.clone();
        let listed = store.query(move |tx| tx.list_environments(&filter, page(1, 20)));
        let listed = listed.wait().unwrap();
        let names: Vec<&str> = listed.items.iter().map(|one| &*one.name).collect();
        assert_eq!(names, expected, "{queried:?}");
    }
}

pub(super) fn j13_an_environment_takes_its_deployments_with_it(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let written = harness.store().change(move |tx| {
        let first = insert_environment(tx, &environment(project, 1))?;
        let second = insert_environment(tx, &environment(project, 2))?;
        let goes = insert_deployment(tx, &deployment(project, 1))?;
        let mut new = deployment(project, 2);
        new.environment_id = second.id;
        let stays = insert_deployment(tx, &new)?;
        let at = tx.lock_reports(project)?;
        assert!(tx.delete_environment(&at, first.id)?);
        assert_eq!(tx.find_deployment(project, goes.id)?, None);
        assert_eq!(tx.find_deployment(project, stays.id)?, Some(stays));
        Ok(())
    });
    written.wait().unwrap();
}

pub(super) fn j14_environments_of_a_state_are_listed_in_the_order_of_their_names(
    harness: &mut AreaHarness<Reports>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let names = ["b", "Z", HOSTILE, "a/1", "a", "c"];
    let written = store.change(move |tx| {
        for (number, name) in (0..).zip(names) {
            let new = NewEnvironment {
                name: name.to_owned(),
                ..environment(project, number)
            };
            let created = insert_environment(tx, &new)?;
            if name == "c" {
                let at = tx.lock_reports(project)?;
                let change = EnvironmentChange {
                    state: EnvironmentState::Stopped,
                    ..EnvironmentChange::of(&created, timestamp(50))
                };
                tx.update_environment(&at, created.id, &change)?;
            }
        }
        insert_environment(tx, &environment(other, 9)).map(drop)
    });
    written.wait().unwrap();
    let mut available = names[..5].to_vec();
    available.sort_unstable();
    let list = |state, after: &str, limit| {
        let after = after.to_owned();
        let listed =
            store.query(move |tx| tx.list_environments_by_name(project, state, &after, limit));
        let listed = listed.wait().unwrap().into_iter();
        listed.map(|one| one.name).collect::<Vec<_>>()
    };
    for limit in 1..6 {
        let listed = list(EnvironmentState::Available, "", limit);
        assert_eq!(listed, available[..limit.min(5)], "{limit}");
        let listed = list(EnvironmentState::Available, available[limit - 1], 9);
        assert_eq!(listed, available[limit..], "{limit}");
    }
    assert_eq!(list(EnvironmentState::Stopped, "", 9), ["c"]);
    let found = store.query(move |tx| {
        let names = ["A", "c", HOSTILE, "review/9"].map(str::to_owned);
        tx.list_environments_named(project, &names)
    });
    let found = found.wait().unwrap().into_iter();
    let mut found: Vec<String> = found.map(|one| one.name).collect();
    found.sort_unstable_by_key(String::len);
    assert_eq!(found, ["c", HOSTILE]);
}
