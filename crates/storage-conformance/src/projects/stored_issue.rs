//! The issue as an entity.

use std::collections::BTreeSet;

use api_conventions::ids::{IssueId, ProjectId, UserId};
use api_conventions::time::Timestamp;
use projects::{
    Closing, Issue, IssueBody, IssueContent, IssueFilter, IssueKind, IssueScope, IssueSeverity,
    NewIssue, Viewer,
};

use crate::areas::Projects;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// An open issue of a project with this title.
pub(super) fn issue(project_id: ProjectId, title: &str) -> NewIssue {
    NewIssue {
        project_id,
        author_id: UserId::new(7),
        body: IssueBody {
            content: IssueContent {
                title: title.to_owned(),
                ..IssueContent::default()
            },
            ..IssueBody::default()
        },
        created_at: timestamp(0),
    }
}

/// All issues of a project.
pub(super) fn of_project(id: ProjectId) -> IssueFilter {
    let place = IssueScope::Project {
        id,
        sees_confidential: true,
    };
    IssueFilter::new(place, Viewer::Administrator(UserId::new(1)))
}

fn users(ids: impl IntoIterator<Item = i64>) -> BTreeSet<UserId> {
    ids.into_iter().map(UserId::new).collect()
}

/// A body with another value in every field for each number.
fn changed(number: u32) -> IssueBody {
    let is_even = number.is_multiple_of(2);
    let at = timestamp(i64::from(number));
    IssueBody {
        content: IssueContent {
            title: format!("changed {number}"),
            description: is_even.then(|| HOSTILE.to_owned()),
            kind: [IssueKind::Issue, IssueKind::Incident][usize::from(is_even)],
            severity: [IssueSeverity::Critical, IssueSeverity::Low][usize::from(is_even)],
            confidential: is_even,
            discussion_locked: !is_even,
            due_date: is_even.then(|| at.date()),
        },
        closing: (!is_even).then_some(Closing {
            at,
            by: UserId::new(i64::from(number)),
        }),
        milestone_id: None,
        labels: BTreeSet::new(),
        assignees: users([i64::from(number), 12]),
    }
}

fn edge(project: ProjectId, at: Timestamp, title: &str, users_of: &[i64]) -> NewIssue {
    let mut new = issue(project, title);
    new.author_id = UserId::new(i64::MAX);
    new.created_at = at;
    new.body.content = IssueContent {
        title: title.to_owned(),
        description: Some(title.repeat(20)),
        kind: IssueKind::Incident,
        severity: IssueSeverity::Critical,
        confidential: true,
        discussion_locked: true,
        due_date: Some(at.date()),
    };
    new.body.closing = Some(Closing {
        at,
        by: UserId::new(i64::MAX),
    });
    new.body.assignees = users(users_of.iter().copied());
    new
}

entity! {
    /// An issue of a project.
    StoredIssue in Projects, of ProjectId: NewIssue => Issue;
    owners: |harness| harness.places();
    key: |issue| -> IssueId { issue.id }, unknown: IssueId::new(i64::MAX);
    sample: |project, number| issue(project, &format!("issue {number}"));
    edges: |project| vec![
        edge(project, Timestamp::MAX, HOSTILE, &[1, i64::MAX]),
        edge(project, Timestamp::MIN, "", &[]),
    ];
    insert: |tx, new| Ok(tx.insert_issue(new)?.id);
    find: |tx, project, id| {
        let Some(by_id) = tx.find_issue_by_id(*id)? else {
            return Ok(None);
        };
        // Another project may have a different issue with this number.
        let by_number = tx.find_issue(project, by_id.iid)?;
        Ok(by_number.filter(|issue| issue.id == *id))
    }, by owner: true;
    expected: |new, found| new.stored(found.id, found.iid);
    list Descending: |tx, project, page| {
        tx.list_issues(&of_project(project), timestamp(0).date(), page)
    };
    ranked: |project, number, rank| NewIssue {
        created_at: timestamp(rank.into()),
        ..issue(project, &format!("issue {number}"))
    };
    change: |tx, project, id, number| {
        let found = tx.find_issue_by_id(*id)?;
        let Some(iid) = found.map(|issue| issue.iid) else { return Ok(false) };
        let Some(locked) = tx.lock_issue(project, iid)? else { return Ok(false) };
        if locked.id != *id {
            return Ok(false);
        }
        tx.update_issue(locked, changed(number), timestamp(number.into()))?;
        Ok(true)
    };
    changed: |issue, number| Issue {
        body: changed(number),
        updated_at: timestamp(number.into()),
        ..issue.clone()
    };
    delete: |tx, project, id| {
        let found = tx.find_issue_by_id(*id)?;
        let Some(iid) = found.map(|issue| issue.iid) else { return Ok(false) };
        let Some(locked) = tx.lock_issue(project, iid)? else { return Ok(false) };
        if locked.id != *id {
            return Ok(false);
        }
        tx.delete_issue(locked)?;
        Ok(true)
    };
}
