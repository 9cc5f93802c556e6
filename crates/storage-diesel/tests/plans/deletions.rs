//! Deletion of the rows of a project: each statement looks up the few rows that it deletes, however many the project
//! has.

use alert_intake::store::AlertRepository as _;
use api_conventions::ids::ProjectId;
use error_tracking::store::ErrorRepository as _;
use events::EventRepository as _;
use pipelines::store::PipelineRepository as _;
use projects::DeletionRepository as _;
use storage::{Store as _, StoreError};

use crate::recorder::{Turn, texts_of};
use crate::stores::{PROJECT, create_project, plan_on_sqlite, sqlite};

/// Marks the project as being deleted.
const SCHEDULE_DELETION: &str = "INSERT INTO deletions (project_id, requested_by, requested_at, due_at, started) VALUES (1, 1, 0, 0, TRUE); \
    UPDATE projects SET deletion_id = 1; DELETE FROM full_paths WHERE project_id = 1; \
    INSERT INTO events (project_id, author_id, action, audience, created_at) VALUES (1, 1, 1, 0, 0)";

#[test]
fn rows_of_a_project_are_deleted_by_their_keys() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    crate::stores::fill_sqlite(&file, SCHEDULE_DELETION, 0);
    let (deleted, texts) = texts_of(&turn, || {
        let deleted: Result<_, StoreError> = store
            .write(|tx| {
                let project: ProjectId = PROJECT;
                tx.delete_alerts_of(project, 100)?;
                tx.delete_errors_of(project, 100)?;
                tx.delete_reports_of(project, 100)?;
                tx.delete_events_of(project, 100)?;
                tx.delete_rows_of_project(project, 100)
            })
            .wait();
        deleted.unwrap()
    });
    assert_eq!(deleted, 1);
    let deletions: Vec<&String> = texts
        .iter()
        .filter(|text| text.starts_with("DELETE"))
        .collect();
    assert!(deletions.len() > 30, "{deletions:#?}");
    for text in deletions {
        let plan = plan_on_sqlite(&file, text);
        let first = plan.first().unwrap();
        let is_whole = |step: &str| step.ends_with("(project_id=?)") || step.starts_with("SCAN");
        // Some tables have one row for each project, and there are few releases.
        let is_few = text.contains("WHERE (project_id) IN") || text.contains("FROM error_releases");
        assert!(is_few || !is_whole(first), "{text}\n{plan:#?}");
    }
}
