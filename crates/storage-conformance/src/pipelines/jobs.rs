//! Jobs.

use ::pipelines::model::{
    CiStatus, CommitStatusFilter, Coverage, Job, JobChange, JobDetails, JobFilter, NewJob,
};
use ::pipelines::store::CiWriteTx;
use api_conventions::ids::{JobId, PipelineId, ProjectId};
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use super::{commit, insert_job, insert_pipeline, job, pipeline};
use crate::areas::{AreaHarness, Reports};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, timestamp};

fn details(text: &str, parts: i64) -> JobDetails {
    JobDetails {
        target_url: Some(text.to_owned()),
        description: Some(text.to_owned()),
        coverage: Coverage::from_parts(parts),
    }
}

fn change(number: u32) -> JobChange {
    let is_even = number.is_multiple_of(2);
    JobChange {
        status: CiStatus::Failed,
        details: if is_even {
            details(HOSTILE, 982_900)
        } else {
            JobDetails::default()
        },
        started_at: is_even.then_some(Timestamp::MIN),
        finished_at: is_even.then_some(Timestamp::MAX),
        updated_at: timestamp(i64::from(number) + 100),
    }
}

entity! {
    /// A job.
    StoredJob in Reports, of ProjectId: NewJob => Job;
    owners: |harness| harness.places();
    key: |job| -> JobId { job.id }, unknown: JobId::new(i64::MAX);
    sample: |project, number| job(project, number);
    edges: |project| vec![
        NewJob {
            reference: HOSTILE.repeat(20),
            name: HOSTILE.repeat(3),
            stage: HOSTILE.to_owned(),
            details: details(&HOSTILE.repeat(20), 1_000_000),
            user_id: None,
            tag: true,
            created_at: Timestamp::MAX,
            started_at: Some(Timestamp::MIN),
            finished_at: Some(Timestamp::MAX),
            ..job(project, 2)
        },
        NewJob {
            reference: String::new(),
            name: String::new(),
            stage: String::new(),
            details: details("", 0),
            created_at: Timestamp::MIN,
            ..job(project, 3)
        },
    ];
    insert: |tx, new| Ok(insert_job(tx, new)?.id);
    find: |tx, project, id| tx.find_job(project, *id), by owner: true;
    expected: |new, found| Job {
        pipeline_id: found.pipeline_id,
        ..new.stored(found.id)
    };
    list Descending: |tx, project, page| tx.list_jobs(&JobFilter::new(project), page);
    change: |tx, project, id, number| {
        let at = tx.lock_reports(project)?;
        tx.update_job(&at, *id, &change(number))
    };
    changed: |job, number| {
        let mut job = job.clone();
        change(number).apply(&mut job);
        job
    };
}

/// Writes jobs with the names 1 to 6, the last two in another pipeline, which is of another commit; 7 has the name of
/// 1.
fn write(tx: &mut dyn CiWriteTx, project: ProjectId) -> Result<[PipelineId; 2], StoreError> {
    let first = insert_pipeline(tx, &pipeline(project, 1))?.id;
    let second = insert_pipeline(tx, &pipeline(project, 2))?.id;
    for (number, name, status, stage) in [
        (1, 1, CiStatus::Failed, "build"),
        (2, 2, CiStatus::Success, "build"),
        (3, 3, CiStatus::Running, "test"),
        (4, 4, CiStatus::Pending, "test"),
        (5, 5, CiStatus::Success, "build"),
        (6, 6, CiStatus::Running, "Test"),
        (7, 1, CiStatus::Running, "build"),
    ] {
        let in_second = [5, 6].contains(&number);
        let new = NewJob {
            pipeline_id: if in_second { second } else { first },
            sha: commit(if in_second { 2 } else { 1 }),
            reference: if number == 2 { "other" } else { "main" }.to_owned(),
            name: name.to_string(),
            status,
            stage: stage.to_owned(),
            ..job(project, number)
        };
        insert_job(tx, &new)?;
    }
    Ok([first, second])
}

/// Names of jobs, with an `r` for a retried one.
fn names(jobs: &[Job]) -> Vec<String> {
    let name = |job: &Job| format!("{}{}", job.name, if job.retried { "r" } else { "" });
    jobs.iter().map(name).collect()
}

fn insert_jobs(store: &Reports, [project, other]: [ProjectId; 2]) -> [PipelineId; 2] {
    let written = store.change(move |tx| {
        write(tx, other)?;
        write(tx, project)
    });
    written.wait().unwrap()
}

/// Listed jobs, page by page.
fn list_jobs(store: &Reports, filter: &JobFilter) -> Vec<Job> {
    let mut jobs = Vec::new();
    for number in 1.. {
        let filter = filter.clone();
        let listed = store.query(move |tx| tx.list_jobs(&filter, page(number, 2)));
        let listed = listed.wait().unwrap();
        jobs.extend(listed.items);
        if !listed.has_next {
            break;
        }
    }
    jobs
}

/// Filters, and the names of the jobs that match, the newest first.
fn filters(
    project: ProjectId,
    [first, second]: [PipelineId; 2],
) -> Vec<(JobFilter, &'static [&'static str])> {
    let all = || JobFilter::new(project);
    let of = |statuses: &[CiStatus]| JobFilter {
        statuses: Some(statuses.to_vec()),
        ..all()
    };
    let in_pipeline = |pipeline, filter: JobFilter| JobFilter {
        pipeline_id: Some(pipeline),
        ..filter
    };
    let current = |filter: JobFilter| JobFilter {
        with_retried: false,
        ..filter
    };
    vec![
        (all(), &["1", "6", "5", "4", "3", "2", "1r"]),
        (current(all()), &["1", "6", "5", "4", "3", "2"]),
        (of(&[CiStatus::Running]), &["1", "6", "3"]),
        (
            of(&[CiStatus::Running, CiStatus::Failed, CiStatus::Pending]),
            &["1", "6", "4", "3", "1r"],
        ),
        (of(&[]), &[]),
        (of(&[CiStatus::Canceled]), &[]),
        (
            current(of(&[CiStatus::Failed, CiStatus::Success])),
            &["5", "2"],
        ),
        (in_pipeline(first, all()), &["1", "4", "3", "2", "1r"]),
        (in_pipeline(second, all()), &["6", "5"]),
        (
            current(in_pipeline(first, of(&[CiStatus::Running]))),
            &["1", "3"],
        ),
    ]
}

pub(super) fn j70_each_filter_of_jobs_holds(harness: &mut AreaHarness<Reports>) {
    let places = harness.places();
    let store = harness.store();
    let pipelines = insert_jobs(store, places);
    for (filter, expected) in filters(places[0], pipelines) {
        assert_eq!(names(&list_jobs(store, &filter)), expected, "{filter:?}");
    }
    let elsewhere = JobFilter {
        pipeline_id: Some(pipelines[0]),
        ..JobFilter::new(places[1])
    };
    assert_eq!(list_jobs(store, &elsewhere), []);
}

pub(super) fn j71_a_walk_of_jobs_begins_beyond_an_id(harness: &mut AreaHarness<Reports>) {
    let places = harness.places();
    let store = harness.store();
    let pipelines = insert_jobs(store, places);
    for (filter, expected) in filters(places[0], pipelines) {
        for sort in [SortOrder::Descending, SortOrder::Ascending] {
            let mut walked = Vec::new();
            let mut beyond = None;
            loop {
                let filter = filter.clone();
                let requested = KeysetPage::new(2, sort);
                let next = store.query(move |tx| tx.list_jobs_after(&filter, beyond, requested));
                let next = next.wait().unwrap();
                beyond = next.items.last().map(|job| job.id);
                walked.extend(next.items);
                if !next.has_next {
                    break;
                }
            }
            if sort == SortOrder::Ascending {
                walked.reverse();
            }
            assert_eq!(names(&walked), expected, "{filter:?} {sort:?}");
        }
    }
}

pub(super) fn j72_each_filter_of_statuses_of_a_commit_holds(harness: &mut AreaHarness<Reports>) {
    let places = harness.places();
    let store = harness.store();
    let [first, second] = insert_jobs(store, places);
    let all = || CommitStatusFilter::new(places[0], commit(1));
    let text = |text: &str| Some(text.to_owned());
    for (filter, expected) in [
        (all(), &["2", "3", "4", "1"][..]),
        (
            CommitStatusFilter {
                with_retried: true,
                ..all()
            },
            &["1r", "2", "3", "4", "1"],
        ),
        (
            CommitStatusFilter {
                stage: text("test"),
                ..all()
            },
            &["3", "4"],
        ),
        (
            CommitStatusFilter {
                reference: text("other"),
                ..all()
            },
            &["2"],
        ),
        (
            CommitStatusFilter {
                name: text("1"),
                with_retried: true,
                ..all()
            },
            &["1r", "1"],
        ),
        (
            CommitStatusFilter {
                pipeline_id: Some(first),
                stage: text("build"),
                ..all()
            },
            &["2", "1"],
        ),
        (
            CommitStatusFilter {
                pipeline_id: Some(second),
                ..all()
            },
            &[],
        ),
        (CommitStatusFilter::new(places[0], commit(2)), &["5", "6"]),
        (CommitStatusFilter::new(places[0], commit(3)), &[]),
    ] {
        let mut found = Vec::new();
        for number in 1..=3 {
            let filter = filter.clone();
            let listed = store.query(move |tx| tx.list_commit_statuses(&filter, page(number, 2)));
            found.extend(listed.wait().unwrap().items);
        }
        assert_eq!(names(&found), expected, "{filter:?}");
    }
}

pub(super) fn j73_a_job_is_retried_by_the_next_one_of_its_name(harness: &mut AreaHarness<Reports>) {
    let [project, _] = harness.places();
    let checked = harness.store().change(move |tx| {
        let first = insert_job(tx, &job(project, 1))?;
        let beside = insert_job(tx, &job(project, 2))?;
        let elsewhere = insert_pipeline(tx, &pipeline(project, 2))?.id;
        let of_other = NewJob {
            pipeline_id: elsewhere,
            ..job(project, 1)
        };
        let of_other = insert_job(tx, &of_other)?;
        let second = insert_job(tx, &job(project, 1))?;
        let pipeline = first.pipeline_id;
        assert_eq!(tx.find_current_job(pipeline, &first.name)?, Some(second));
        assert_eq!(tx.find_current_job(pipeline, "none")?, None);
        assert_eq!(tx.find_current_job(elsewhere, &first.name)?, Some(of_other));
        let retried = Job {
            retried: true,
            ..first
        };
        assert_eq!(tx.find_job(project, retried.id)?, Some(retried));
        assert_eq!(tx.find_job(project, beside.id)?, Some(beside));
        Ok(())
    });
    checked.wait().unwrap();
}

pub(super) fn j74_the_statuses_of_a_pipeline_are_those_of_its_current_jobs(
    harness: &mut AreaHarness<Reports>,
) {
    let places = harness.places();
    let store = harness.store();
    let pipelines = insert_jobs(store, places);
    let statuses = store.query(move |tx| {
        let mut all = Vec::new();
        for pipeline in pipelines {
            let mut statuses = tx.list_statuses_of(pipeline)?;
            statuses.sort_unstable();
            all.push(statuses);
        }
        all.push(tx.list_statuses_of(PipelineId::new(i64::MAX))?);
        Ok(all)
    });
    let [first, second] = [
        vec![CiStatus::Pending, CiStatus::Running, CiStatus::Success],
        vec![CiStatus::Running, CiStatus::Success],
    ];
    assert_eq!(statuses.wait().unwrap(), [first, second, vec![]]);
}
