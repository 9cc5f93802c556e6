//! Statuses of commits.

use api_conventions::ids::{PipelineId, UserId};
use pipelines::flow::{CiError, PipelineInput, ReportedStatus, create_pipeline, set_commit_status};
use pipelines::model::{CiStatus, Coverage, Job, Pipeline, PipelineSource};
use storage_diesel::SqliteStore;

use crate::{COMMIT, HERE, at, write};

fn status(name: &str, status: CiStatus) -> ReportedStatus {
    ReportedStatus {
        sha: COMMIT.to_owned(),
        reference: Some("main".to_owned()),
        default_branch: None,
        name: name.to_owned(),
        stage: "external".to_owned(),
        status,
        target_url: None,
        description: None,
        coverage: None,
        pipeline_id: None,
        user_id: Some(UserId::new(7)),
    }
}

fn set(store: &SqliteStore, report: ReportedStatus, second: i64) -> Result<Job, CiError> {
    write(store, move |tx| {
        set_commit_status(tx, HERE, &report, at(second))
    })
}

fn pipeline(store: &SqliteStore, id: PipelineId) -> Pipeline {
    write(store, move |tx| Ok(tx.find_pipeline(HERE, id)?))
        .unwrap()
        .unwrap()
}

#[test]
fn a_pipeline_follows_its_jobs() {
    let store = SqliteStore::in_memory().unwrap();
    let mut id = PipelineId::new(0);
    for (name, next, second, stands, started, finished) in [
        ("a", CiStatus::Pending, 1, CiStatus::Pending, None, None),
        ("b", CiStatus::Pending, 2, CiStatus::Pending, None, None),
        ("a", CiStatus::Running, 3, CiStatus::Running, Some(3), None),
        ("a", CiStatus::Success, 4, CiStatus::Running, Some(3), None),
        ("b", CiStatus::Failed, 5, CiStatus::Failed, Some(3), Some(5)),
        // Restarting a job moves its pipeline back.
        ("b", CiStatus::Running, 6, CiStatus::Running, Some(3), None),
        (
            "b",
            CiStatus::Success,
            7,
            CiStatus::Success,
            Some(3),
            Some(7),
        ),
        // Another job with the same outcome leaves the end unchanged.
        (
            "c",
            CiStatus::Success,
            8,
            CiStatus::Success,
            Some(3),
            Some(7),
        ),
    ] {
        let job = set(&store, status(name, next), second).unwrap();
        id = job.pipeline_id;
        let found = pipeline(&store, id);
        assert_eq!(found.status, stands, "{name} {next:?}");
        assert_eq!(
            (found.started_at, found.finished_at),
            (started.map(at), finished.map(at))
        );
    }
    let found = pipeline(&store, id);
    assert_eq!(
        (found.iid.get(), found.source),
        (1, PipelineSource::External)
    );
}

#[test]
fn reports_keep_earlier_values_that_they_omit() {
    let store = SqliteStore::in_memory().unwrap();
    let first = ReportedStatus {
        target_url: Some("https://ci.example".to_owned()),
        description: Some("one".to_owned()),
        ..status("a", CiStatus::Pending)
    };
    set(&store, first, 1).unwrap();
    let second = ReportedStatus {
        description: Some("two".to_owned()),
        coverage: Coverage::from_percent(50.0),
        ..status("a", CiStatus::Running)
    };
    set(&store, second, 2).unwrap();
    let job = set(&store, status("a", CiStatus::Canceled), 3).unwrap();
    assert_eq!(
        job.details.target_url.as_deref(),
        Some("https://ci.example")
    );
    assert_eq!(job.details.description.as_deref(), Some("two"));
    assert_eq!(job.details.coverage.map(Coverage::percent), Some(50.0));
    assert_eq!(
        (job.started_at, job.finished_at),
        (Some(at(2)), Some(at(3)))
    );
}

#[test]
fn a_report_that_is_refused_leaves_no_pipeline() {
    let store = SqliteStore::in_memory().unwrap();
    let long = ReportedStatus {
        name: "x".repeat(256),
        ..status("a", CiStatus::Running)
    };
    assert!(matches!(set(&store, long, 1), Err(CiError::Invalid(_))));
    let job = set(&store, status("a", CiStatus::Running), 2).unwrap();
    assert_eq!((job.id.get(), job.pipeline_id.get()), (1, 1));
    let back = set(&store, status("a", CiStatus::Pending), 3).unwrap_err();
    let text = back.to_string();
    assert!(
        text.contains("Cannot transition status via :enqueue from :running"),
        "{text}"
    );
}

#[test]
fn repeated_and_late_statuses_leave_the_job_unchanged() {
    let store = SqliteStore::in_memory().unwrap();
    let job = set(&store, status("a", CiStatus::Running), 1).unwrap();
    assert_eq!(set(&store, status("a", CiStatus::Running), 2).unwrap(), job);
    let ended = set(&store, status("a", CiStatus::Failed), 3).unwrap();
    for late in [CiStatus::Failed, CiStatus::Pending] {
        assert_eq!(
            set(&store, status("a", late), 4).unwrap(),
            ended,
            "{late:?}"
        );
    }
    assert_eq!(pipeline(&store, job.pipeline_id).updated_at, at(3));
    let told = ReportedStatus {
        description: Some("out of memory".to_owned()),
        ..status("a", CiStatus::Failed)
    };
    let told = set(&store, told, 5).unwrap();
    assert_eq!((told.id, told.finished_at), (ended.id, ended.finished_at));
    assert_eq!(told.details.description.as_deref(), Some("out of memory"));
    // A success after a failure means that the job was run again.
    let again = set(&store, status("a", CiStatus::Success), 6).unwrap();
    assert_ne!(again.id, ended.id);
}

#[test]
fn a_report_without_a_ref_joins_the_newest_pipeline_of_its_commit() {
    let store = SqliteStore::in_memory().unwrap();
    let nameless = |name: &str| ReportedStatus {
        reference: None,
        ..status(name, CiStatus::Success)
    };
    let first = set(&store, nameless("a"), 1).unwrap();
    assert_eq!(first.reference, "main");
    let of_another = ReportedStatus {
        sha: "b".repeat(40),
        default_branch: Some("trunk".to_owned()),
        ..nameless("a")
    };
    let of_another = set(&store, of_another, 1).unwrap();
    assert_eq!(of_another.reference, "trunk");
    let of_tag = ReportedStatus {
        reference: Some("refs/tags/v1".to_owned()),
        ..status("a", CiStatus::Success)
    };
    let of_tag = set(&store, of_tag, 2).unwrap();
    assert_eq!((of_tag.reference.as_str(), of_tag.tag), ("v1", true));
    let joined = set(&store, nameless("b"), 3).unwrap();
    assert_eq!(joined.pipeline_id, of_tag.pipeline_id);
    assert_ne!(joined.pipeline_id, first.pipeline_id);
}

#[test]
fn a_created_pipeline_accepts_reports_that_name_it() {
    let store = SqliteStore::in_memory().unwrap();
    let input = PipelineInput {
        reference: "main".to_owned(),
        sha: None,
        variables: Vec::new(),
        user_id: None,
    };
    let made = write(&store, move |tx| create_pipeline(tx, HERE, &input, at(1)));
    let made = made.unwrap();
    assert_eq!(
        (made.status, made.source),
        (CiStatus::Created, PipelineSource::Api)
    );
    let into = |pipeline_id, reference: &str| ReportedStatus {
        pipeline_id: Some(pipeline_id),
        reference: Some(reference.to_owned()),
        ..status("a", CiStatus::Running)
    };
    let unknown = set(&store, into(PipelineId::new(9), "main"), 2);
    assert!(matches!(unknown, Err(CiError::Unknown("Pipeline"))));
    let of_other = set(&store, into(made.id, "other"), 2);
    assert!(matches!(of_other, Err(CiError::Unknown("Pipeline"))));
    set(&store, into(made.id, "main"), 3).unwrap();
    let found = pipeline(&store, made.id);
    assert_eq!(
        (found.sha.as_deref(), found.status),
        (Some(COMMIT), CiStatus::Running)
    );
}
