//! Links between issues and errors of an external tracker.

use crate::areas::{AreaHarness, Errors};
use api_conventions::ids::{ErrorIid, IssueId, ProjectId};
use error_tracking::store::ErrorWriteTx;
use storage::{StoreError, StoreErrorKind, StoreExt as _};

/// Links an issue to an error.
fn link(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    error: i64,
    issue: Option<i64>,
) -> Result<(), StoreError> {
    let (locked, _) = tx.lock_error_settings(project)?;
    tx.put_external_link(&locked, ErrorIid::new(error), issue.map(IssueId::new))
}

/// Issues linked to some errors.
fn links(
    tx: &mut dyn ErrorWriteTx,
    project: ProjectId,
    errors: &[i64],
) -> Result<Vec<(i64, i64)>, StoreError> {
    let errors: Vec<ErrorIid> = errors.iter().copied().map(ErrorIid::new).collect();
    let found = tx.list_external_links(project, &errors)?;
    let found = found.into_iter();
    Ok(found
        .map(|(error, issue)| (error.get(), issue.get()))
        .collect())
}

pub(super) fn t06_an_issue_is_about_one_error_of_an_external_tracker(
    harness: &mut AreaHarness<Errors>,
) {
    let [project, other] = harness.places();
    let store = harness.store();
    let linked = store.change(move |tx| {
        assert_eq!(links(tx, project, &[7, 8])?, []);
        link(tx, project, i64::MAX, Some(1))?;
        link(tx, project, 7, Some(2))?;
        link(tx, other, 7, Some(3))?;
        let all = [9, i64::MAX, 7];
        assert_eq!(links(tx, project, &all)?, [(7, 2), (i64::MAX, 1)]);
        assert_eq!(links(tx, project, &[])?, []);
        // Sets the same issue, another one, and none.
        link(tx, project, 7, Some(2))?;
        link(tx, project, 7, Some(4))?;
        assert_eq!(links(tx, project, &[7])?, [(7, 4)]);
        link(tx, project, 7, None)?;
        link(tx, project, 7, None)?;
        assert_eq!(links(tx, project, &[7])?, []);
        links(tx, other, &[7])
    });
    assert_eq!(linked.wait().unwrap(), [(7, 3)]);
    for (place, error) in [(project, 8), (other, 8)] {
        let taken = store.change(move |tx| link(tx, place, error, Some(1)));
        let refused = taken.wait().unwrap_err();
        assert_eq!(refused.kind(), StoreErrorKind::Conflict, "{refused}");
    }
}

pub(super) fn t07_links_go_with_their_project_and_their_issue(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let found = harness.store().change(move |tx| {
        for (place, error, issue) in [
            (project, 1, 1),
            (project, 2, 2),
            (other, 1, 3),
            (other, 2, 4),
        ] {
            link(tx, place, error, Some(issue))?;
        }
        assert_eq!(tx.unlink_issue(IssueId::new(4))?, None);
        let (locked, _) = tx.lock_error_settings(project)?;
        tx.delete_external_links(&locked)?;
        assert_eq!(links(tx, project, &[1, 2])?, []);
        links(tx, other, &[1, 2])
    });
    assert_eq!(found.wait().unwrap(), [(1, 3)]);
}
