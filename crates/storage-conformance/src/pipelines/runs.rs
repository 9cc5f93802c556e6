//! Pipelines.

use ::pipelines::model::{
    CiStatus, NewPipeline, Pipeline, PipelineChange, PipelineFilter, PipelineOrder, PipelineScope,
    PipelineSource, TimeRange, Variable, VariableKind,
};
use ::pipelines::store::CiWriteTx;
use api_conventions::ids::{PipelineId, ProjectId, UserId};
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use super::{commit, insert_pipeline, pipeline};
use crate::areas::{AreaHarness, Reports};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

fn change(number: u32) -> PipelineChange {
    let is_even = number.is_multiple_of(2);
    PipelineChange {
        sha: is_even.then(|| commit(number)),
        status: CiStatus::Failed,
        started_at: is_even.then_some(Timestamp::MIN),
        finished_at: is_even.then_some(Timestamp::MAX),
        updated_at: timestamp(i64::from(number) + 100),
    }
}

entity! {
    /// A pipeline.
    StoredPipeline in Reports, of ProjectId: NewPipeline => Pipeline;
    owners: |harness| harness.places();
    key: |pipeline| -> PipelineId { pipeline.id }, unknown: PipelineId::new(i64::MAX);
    sample: |project, number| pipeline(project, number);
    edges: |project| vec![
        NewPipeline {
            reference: HOSTILE.repeat(20),
            sha: None,
            user_id: None,
            tag: true,
            created_at: Timestamp::MAX,
            ..pipeline(project, 2)
        },
        NewPipeline {
            reference: String::new(),
            source: PipelineSource::Api,
            created_at: Timestamp::MIN,
            ..pipeline(project, 3)
        },
    ];
    insert: |tx, new| Ok(insert_pipeline(tx, new)?.id);
    find: |tx, project, id| tx.find_pipeline(project, *id), by owner: true;
    expected: |new, found| new.stored(found.id, found.iid);
    list Descending: |tx, project, page| tx.list_pipelines(&PipelineFilter::new(project), page);
    change: |tx, project, id, number| {
        let at = tx.lock_reports(project)?;
        tx.update_pipeline(&at, *id, &change(number))
    };
    changed: |pipeline, number| {
        let mut pipeline = pipeline.clone();
        change(number).apply(&mut pipeline);
        pipeline
    };
}

/// Writes pipelines with the numbers 1 to 6: two of a commit, one of a tag, in several statuses.
fn write(tx: &mut dyn CiWriteTx, project: ProjectId) -> Result<(), StoreError> {
    for (number, sha, reference, status, changed, user) in [
        (1, 1, "b", CiStatus::Running, 60, Some(7)),
        (2, 1, "a", CiStatus::Success, 50, None),
        (3, 2, "b", CiStatus::Failed, 50, Some(8)),
        (4, 3, "B", CiStatus::Pending, 40, Some(7)),
        (5, 4, "a", CiStatus::Running, 40, Some(8)),
        (6, 5, "c", CiStatus::Skipped, 70, None),
    ] {
        let new = NewPipeline {
            sha: Some(commit(sha)),
            reference: reference.to_owned(),
            tag: number == 6,
            source: if number == 4 {
                PipelineSource::Api
            } else {
                PipelineSource::External
            },
            user_id: user.map(UserId::new),
            ..pipeline(project, number)
        };
        let inserted = insert_pipeline(tx, &new)?;
        let change = PipelineChange {
            sha: new.sha,
            status,
            started_at: None,
            finished_at: None,
            updated_at: timestamp(changed),
        };
        let at = tx.lock_reports(project)?;
        assert!(tx.update_pipeline(&at, inserted.id, &change)?);
    }
    Ok(())
}

/// Numbers of the listed pipelines, page by page.
fn numbers(store: &Reports, filter: &PipelineFilter) -> Vec<i64> {
    let mut numbers = Vec::new();
    for number in 1.. {
        let filter = filter.clone();
        let listed = store.query(move |tx| tx.list_pipelines(&filter, page(number, 2)));
        let listed = listed.wait().unwrap();
        numbers.extend(listed.items.iter().map(|one| one.iid.get()));
        if !listed.has_next {
            break;
        }
    }
    numbers
}

fn within(after: i64, before: i64) -> TimeRange {
    TimeRange {
        after: Some(timestamp(after)),
        before: Some(timestamp(before)),
    }
}

fn failed(filter: PipelineFilter) -> PipelineFilter {
    PipelineFilter {
        status: Some(CiStatus::Failed),
        ..filter
    }
}

pub(super) fn j50_each_filter_of_pipelines_holds(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        write(tx, other)?;
        write(tx, project)
    });
    written.wait().unwrap();
    let all = || PipelineFilter::new(project);
    let scope = |scope| PipelineFilter {
        scope: Some(scope),
        ..all()
    };
    let status = |status| PipelineFilter {
        status: Some(status),
        ..all()
    };
    let reference = |reference: &str| PipelineFilter {
        reference: Some(reference.to_owned()),
        ..all()
    };
    let updated = |after, before| PipelineFilter {
        updated: within(after, before),
        ..all()
    };
    let created = |after, before| PipelineFilter {
        created: within(after, before),
        ..all()
    };
    let user = |user| PipelineFilter {
        user_id: Some(UserId::new(user)),
        ..all()
    };
    let sha = |number| PipelineFilter {
        sha: Some(commit(number)),
        ..all()
    };
    for (filter, expected) in [
        (all(), &[1, 2, 3, 4, 5, 6][..]),
        (scope(PipelineScope::Running), &[1, 5]),
        (scope(PipelineScope::Pending), &[4]),
        (scope(PipelineScope::Finished), &[2, 3]),
        (scope(PipelineScope::Branches), &[1, 2, 3, 4, 5]),
        (scope(PipelineScope::Tags), &[6]),
        (status(CiStatus::Running), &[1, 5]),
        (status(CiStatus::Created), &[]),
        (reference("a"), &[2, 5]),
        (reference("A"), &[]),
        (updated(41, 50), &[2, 3]),
        (created(2, 4), &[2, 3, 4]),
        (
            PipelineFilter {
                updated: within(41, 50),
                ..created(3, 6)
            },
            &[3],
        ),
        (user(7), &[1, 4]),
        (sha(1), &[1, 2]),
        (
            PipelineFilter {
                source: Some(PipelineSource::Api),
                ..all()
            },
            &[4],
        ),
        (failed(scope(PipelineScope::Finished)), &[3]),
        (failed(scope(PipelineScope::Running)), &[]),
        (
            PipelineFilter {
                reference: Some("b".to_owned()),
                user_id: Some(UserId::new(7)),
                status: Some(CiStatus::Running),
                ..sha(1)
            },
            &[1],
        ),
        (
            PipelineFilter {
                source: Some(PipelineSource::External),
                ..updated(40, 50)
            },
            &[2, 3, 5],
        ),
    ] {
        for order_by in PipelineOrder::ALL.iter().copied() {
            let filter = PipelineFilter {
                order_by,
                ..filter.clone()
            };
            let mut found = numbers(store, &filter);
            found.sort_unstable();
            assert_eq!(found, expected, "{filter:?}");
        }
    }
}

pub(super) fn j51_every_order_of_pipelines_breaks_ties_by_id(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| write(tx, project));
    written.wait().unwrap();
    for (order_by, ascending) in [
        (PipelineOrder::Id, [1, 2, 3, 4, 5, 6]),
        (PipelineOrder::Status, [4, 1, 5, 2, 3, 6]),
        (PipelineOrder::Ref, [4, 2, 5, 1, 3, 6]),
        (PipelineOrder::UpdatedAt, [4, 5, 2, 3, 1, 6]),
        (PipelineOrder::UserId, [2, 6, 1, 4, 3, 5]),
    ] {
        let mut filter = PipelineFilter {
            order_by,
            sort: SortOrder::Ascending,
            ..PipelineFilter::new(project)
        };
        assert_eq!(numbers(store, &filter), ascending, "{order_by:?}");
        filter.sort = SortOrder::Descending;
        let mut turned = numbers(store, &filter);
        turned.reverse();
        assert_eq!(turned, ascending, "{order_by:?}");
    }
}

pub(super) fn j52_variables_come_back_in_their_order(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let store = harness.store();
    let variable = |key: &str, value: &str, kind| Variable {
        key: key.to_owned(),
        value: value.to_owned(),
        kind,
    };
    let variables = vec![
        variable("Z", HOSTILE, VariableKind::File),
        variable("A", "", VariableKind::Variable),
        variable("z", &"x".repeat(10_000), VariableKind::Variable),
    ];
    let new = NewPipeline {
        variables: variables.clone(),
        ..pipeline(project, 1)
    };
    let written = store.change(move |tx| {
        let without = insert_pipeline(tx, &pipeline(project, 2))?;
        Ok((insert_pipeline(tx, &new)?, without))
    });
    let (with, without) = written.wait().unwrap();
    let listed = store.query(move |tx| {
        assert_eq!(tx.list_pipeline_variables(without.id)?, []);
        tx.list_pipeline_variables(with.id)
    });
    assert_eq!(listed.wait().unwrap(), variables);
}

pub(super) fn j53_the_latest_pipeline_of_a_commit_is_found(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let written = store.change(move |tx| {
        write(tx, project)?;
        write(tx, other)
    });
    written.wait().unwrap();
    let found = store.query(move |tx| {
        let mut number = |sha, reference| {
            let found = tx.find_latest_pipeline(project, &commit(sha), reference)?;
            Ok::<_, StoreError>(found.map(|found| found.iid.get()))
        };
        assert_eq!(number(1, None)?, Some(2));
        assert_eq!(number(1, Some("b"))?, Some(1));
        assert_eq!(number(1, Some("c"))?, None);
        assert_eq!(number(9, None)?, None);
        let all = tx.list_pipelines(&PipelineFilter::new(project), page(1, 2))?;
        let ids = [all.items[1].id, PipelineId::new(i64::MAX)];
        assert_eq!(tx.list_pipelines_by_id(&ids)?, [all.items[1].clone()]);
        Ok(())
    });
    found.wait().unwrap();
}

pub(super) fn j54_numbers_of_pipelines_have_no_gaps(harness: &mut AreaHarness<Reports>) {
    let [project, other] = harness.places();
    let store = harness.store();
    let refused = store.change(move |tx| {
        insert_pipeline(tx, &pipeline(project, 1))?;
        Err::<(), _>(crate::probe_rows::refusal())
    });
    refused.wait().unwrap_err();
    let numbers = store.change(move |tx| {
        // Deployments have a counter of their own.
        super::insert_deployment(tx, &super::deployment(project, 1))?;
        let mut numbers = Vec::new();
        for place in [project, other, project] {
            numbers.push(insert_pipeline(tx, &pipeline(place, 1))?.iid.get());
        }
        Ok(numbers)
    });
    assert_eq!(numbers.wait().unwrap(), [1, 1, 2]);
}
