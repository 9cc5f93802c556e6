//! Deletion of the rows of a project, and of references to a user: each statement looks up the few rows that it changes,
//! however many there are.

use accounts::{AccountQueries as _, AccountRepository as _};
use alert_intake::store::AlertRepository as _;
use api_conventions::ids::{ProjectId, UserId};
use deprecations::UseRepository as _;
use error_tracking::store::ErrorRepository as _;
use events::EventRepository as _;
use notifications::store::NotificationRepository as _;
use oauth_provider::GrantRepository as _;
use pipelines::store::{PipelineRepository as _, RunnerRepository as _};
use projects::{
    DeletionQueries as _, DeletionRepository as _, IssueQueries as _, MemberQueries as _,
    NoteQueries as _,
};
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
                tx.delete_notifications_of(project, 100)?;
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

/// A step of the deletion of a user reads no whole table, however many rows others have.
#[test]
fn rows_of_a_user_are_found_by_indexes() {
    let turn = Turn::take();
    let (store, file, _directory) = sqlite();
    create_project(&store);
    let (user, successor) = (UserId::new(1), UserId::new(2));
    let (_, texts) = texts_of(&turn, || {
        let released: Result<usize, StoreError> = store
            .write(move |tx| {
                tx.list_user_deletions(10)?;
                tx.delete_access_of_user(user, successor, 100)?;
                tx.delete_grants_of_user(user, 100)?;
                tx.release_events_of(user, Some(successor), 100)?;
                tx.unassign_errors_of(user, 100)?;
                tx.unassign_alerts_of(user, 100)?;
                tx.release_reports_of(user, successor, 100)?;
                tx.release_runners_of(user, successor, 100)?;
                tx.delete_uses_of(user, 100)?;
                tx.list_issues_of_author(user, 100)?;
                tx.list_notes_of_author(user, 100)?;
                tx.list_groups_owned_alone(user, 100)?;
                tx.has_namespace_of_user(user)?;
                // The user of the project must stay, so the rows get the author that they have.
                tx.release_rows_of_user(user, user, 100)
            })
            .wait();
        released.unwrap()
    });
    let is_statement = |text: &&String| {
        ["SELECT", "UPDATE", "DELETE"]
            .iter()
            .any(|word| text.starts_with(word))
    };
    let statements: Vec<&String> = texts.iter().filter(is_statement).collect();
    assert!(statements.len() > 20, "{statements:#?}");
    for text in statements {
        let plan = plan_on_sqlite(&file, text);
        let is_scan = |step: &String| {
            step.starts_with("SCAN") && !step.contains("USING") && step != "SCAN CONSTANT ROW"
        };
        assert!(!plan.iter().any(is_scan), "{text}\n{plan:#?}");
    }
}
