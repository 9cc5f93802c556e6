//! Deployments.

use ::pipelines::model::{
    Deployment, DeploymentChange, DeploymentFilter, DeploymentOrder, DeploymentStatus,
    NewDeployment, TimeRange,
};
use ::pipelines::store::CiWriteTx;
use api_conventions::ids::{DeploymentId, EnvironmentId, ProjectId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use super::{deployment, environment, insert_deployment, insert_environment};
use crate::areas::{AreaHarness, Reports};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, race, timestamp};

fn change(number: u32) -> DeploymentChange {
    DeploymentChange {
        status: DeploymentStatus::Success,
        finished_at: number.is_multiple_of(2).then_some(Timestamp::MAX),
        updated_at: timestamp(i64::from(number) + 100),
    }
}

entity! {
    /// A deployment.
    StoredDeployment in Reports, of ProjectId: NewDeployment => Deployment;
    owners: |harness| harness.places();
    key: |deployment| -> DeploymentId { deployment.id }, unknown: DeploymentId::new(i64::MAX);
    sample: |project, number| deployment(project, number);
    edges: |project| vec![
        NewDeployment {
            reference: HOSTILE.repeat(20),
            user_id: None,
            tag: true,
            created_at: Timestamp::MAX,
            ..deployment(project, 2)
        },
        NewDeployment {
            reference: String::new(),
            status: DeploymentStatus::Canceled,
            created_at: Timestamp::MIN,
            finished_at: Some(Timestamp::MIN),
            ..deployment(project, 3)
        },
    ];
    insert: |tx, new| Ok(insert_deployment(tx, new)?.id);
    find: |tx, project, id| tx.find_deployment(project, *id), by owner: true;
    expected: |new, found| Deployment {
        environment_id: found.environment_id,
        ..new.stored(found.id, found.iid)
    };
    list Ascending: |tx, project, page| tx.list_deployments(&DeploymentFilter::new(project), page);
    change: |tx, project, id, number| {
        let at = tx.lock_reports(project)?;
        tx.update_deployment(&at, *id, change(number))
    };
    changed: |deployment, number| {
        let mut deployment = deployment.clone();
        change(number).apply(&mut deployment);
        deployment
    };
    delete: |tx, project, id| {
        let at = tx.lock_reports(project)?;
        tx.delete_deployment(&at, *id)
    };
}

/// Writes deployments with the numbers 1 to 6, of which 2 and 3, and 4 and 5, changed at the same time. 5 and 6 went to
/// another environment; those from 3 on succeeded.
fn write(tx: &mut dyn CiWriteTx, project: ProjectId) -> Result<Vec<Deployment>, StoreError> {
    let in_another = insert_environment(tx, &environment(project, 2))?;
    let mut all = Vec::new();
    for (number, changed, reference) in [
        (1, 60, "b"),
        (2, 50, "a"),
        (3, 50, "b"),
        (4, 40, "B"),
        (5, 40, "a"),
        (6, 70, "c"),
    ] {
        let mut new = deployment(project, number);
        new.reference = reference.to_owned();
        if number > 4 {
            new.environment_id = in_another.id;
        }
        let mut created = insert_deployment(tx, &new)?;
        let is_success = number > 2;
        let change = DeploymentChange {
            status: if is_success {
                DeploymentStatus::Success
            } else {
                DeploymentStatus::Running
            },
            finished_at: is_success.then(|| timestamp(changed)),
            updated_at: timestamp(changed),
        };
        let at = tx.lock_reports(project)?;
        tx.update_deployment(&at, created.id, change)?;
        change.apply(&mut created);
        all.push(created);
    }
    Ok(all)
}

/// Numbers of the listed deployments, page by page.
fn numbers(store: &Reports, filter: &DeploymentFilter) -> Vec<i64> {
    let mut numbers = Vec::new();
    for number in 1.. {
        let filter = filter.clone();
        let listed = store.query(move |tx| tx.list_deployments(&filter, page(number, 2)));
        let listed = listed.wait().unwrap();
        numbers.extend(listed.items.iter().map(|one| one.iid.get()));
        if !listed.has_next {
            break;
        }
    }
    numbers
}

pub(super) fn j30_each_filter_of_deployments_holds(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        write(tx, other)?;
        write(tx, project)
    });
    let all = written.wait().unwrap();
    let in_another = Some(all[4].environment_id);
    let (success, running) = (
        Some(DeploymentStatus::Success),
        Some(DeploymentStatus::Running),
    );
    let everything = TimeRange::default();
    let range = |after: Option<i64>, before: Option<i64>| TimeRange {
        after: after.map(timestamp),
        before: before.map(timestamp),
    };
    let forties = range(Some(40), Some(49));
    for (environment_id, status, updated, finished, expected) in [
        (None, None, everything, everything, &[1, 2, 3, 4, 5, 6][..]),
        (in_another, None, everything, everything, &[5, 6]),
        (None, success, everything, everything, &[3, 4, 5, 6]),
        (in_another, running, everything, everything, &[]),
        (in_another, success, everything, everything, &[5, 6]),
        (None, None, range(Some(50), None), everything, &[1, 2, 3, 6]),
        (None, None, range(None, Some(40)), everything, &[4, 5]),
        (None, running, range(Some(50), Some(59)), everything, &[2]),
        (None, success, everything, forties, &[4, 5]),
        (None, None, everything, forties, &[4, 5]),
        (in_another, success, everything, forties, &[5]),
        (in_another, None, forties, everything, &[5]),
    ] {
        for order_by in DeploymentOrder::ALL.iter().copied() {
            let filter = DeploymentFilter {
                environment_id,
                status,
                updated,
                finished,
                order_by,
                ..DeploymentFilter::new(project)
            };
            let mut found = numbers(store, &filter);
            found.sort_unstable();
            assert_eq!(found, expected, "{filter:?}");
        }
    }
    let of_other = DeploymentFilter {
        environment_id: in_another,
        ..DeploymentFilter::new(other)
    };
    assert_eq!(numbers(store, &of_other), [] as [i64; 0]);
}

pub(super) fn j31_every_order_of_deployments_breaks_ties_by_id(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| write(tx, project));
    written.wait().unwrap();
    let success = Some(DeploymentStatus::Success);
    for (order_by, status, ascending, descending) in [
        (
            DeploymentOrder::Id,
            None,
            &[1, 2, 3, 4, 5, 6][..],
            &[6, 5, 4, 3, 2, 1][..],
        ),
        (
            DeploymentOrder::Iid,
            None,
            &[1, 2, 3, 4, 5, 6],
            &[6, 5, 4, 3, 2, 1],
        ),
        (
            DeploymentOrder::CreatedAt,
            None,
            &[1, 2, 3, 4, 5, 6],
            &[6, 5, 4, 3, 2, 1],
        ),
        // Ties have the highest id first, in either direction.
        (
            DeploymentOrder::UpdatedAt,
            None,
            &[5, 4, 3, 2, 1, 6],
            &[6, 1, 3, 2, 5, 4],
        ),
        (
            DeploymentOrder::UpdatedAt,
            success,
            &[5, 4, 3, 6],
            &[6, 3, 5, 4],
        ),
        (
            DeploymentOrder::FinishedAt,
            success,
            &[4, 5, 3, 6],
            &[6, 3, 5, 4],
        ),
        (
            DeploymentOrder::FinishedAt,
            None,
            &[1, 2, 4, 5, 3, 6],
            &[6, 3, 5, 4, 2, 1],
        ),
        (
            DeploymentOrder::Ref,
            None,
            &[4, 2, 5, 1, 3, 6],
            &[6, 3, 1, 5, 2, 4],
        ),
        (DeploymentOrder::Ref, success, &[4, 5, 3, 6], &[6, 3, 5, 4]),
    ] {
        for (sort, expected) in [
            (SortOrder::Ascending, ascending),
            (SortOrder::Descending, descending),
        ] {
            let filter = DeploymentFilter {
                status,
                order_by,
                sort,
                ..DeploymentFilter::new(project)
            };
            assert_eq!(numbers(store, &filter), expected, "{filter:?}");
        }
    }
}

pub(super) fn j32_numbers_of_deployments_have_no_gaps(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let insert = |number| {
        let inserted = store.change(move |tx| insert_deployment(tx, &deployment(project, number)));
        inserted.wait().unwrap().iid
    };
    let first = insert(1);
    let refused = store.change(move |tx| {
        insert_deployment(tx, &deployment(project, 2))?;
        Err::<(), _>(crate::probe_rows::refusal())
    });
    refused.wait().unwrap_err();
    let second = insert(3);
    let in_another = store.change(move |tx| {
        let created = insert_deployment(tx, &deployment(other, 1))?;
        let at = tx.lock_reports(project)?;
        let last = tx.list_deployments(&DeploymentFilter::new(project), page(2, 1))?;
        // The number of a deleted deployment is not reused.
        assert!(tx.delete_deployment(&at, last.items[0].id)?);
        let third = insert_deployment(tx, &deployment(project, 4))?;
        Ok((created.iid.get(), third.iid.get()))
    });
    assert_eq!((first.get(), second.get()), (1, 2));
    assert_eq!(in_another.wait().unwrap(), (1, 3));
}

pub(super) fn j33_racing_deployments_never_get_the_same_number(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let mut numbers = race(8, |thread| {
        let number = u32::try_from(thread).unwrap();
        let inserted = store.change(move |tx| {
            tx.lock_reports(project)?;
            insert_deployment(tx, &deployment(project, number))
        });
        inserted.wait().unwrap().iid.get()
    });
    numbers.sort_unstable();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
}

pub(super) fn j34_the_latest_deployment_to_each_environment_is_found(
    harness: &mut AreaHarness<Reports>,
) {
    let [project, other] = harness.places();
    let listed = harness.store().change(move |tx| {
        let mut environments = Vec::new();
        for (of, number) in [(project, 1), (project, 2), (project, 3), (other, 1)] {
            environments.push(insert_environment(tx, &environment(of, number))?.id);
        }
        let mut last = Vec::new();
        for (number, place, status) in [
            (1, 0, DeploymentStatus::Success),
            (2, 1, DeploymentStatus::Success),
            (3, 0, DeploymentStatus::Failed),
            (4, 3, DeploymentStatus::Running),
        ] {
            let project = if place == 3 { other } else { project };
            let new = NewDeployment {
                environment_id: environments[place],
                status,
                ..deployment(project, number)
            };
            last.push(insert_deployment(tx, &new)?);
        }
        last.remove(0);
        environments.push(EnvironmentId::new(i64::MAX));
        let mut listed = tx.list_last_deployments(&environments)?;
        listed.sort_by_key(|deployment| deployment.id);
        assert_eq!(listed, last);
        tx.list_last_deployments(&[])
    });
    assert_eq!(listed.wait().unwrap(), []);
}
