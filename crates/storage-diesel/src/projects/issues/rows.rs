//! Rows of issues.

use std::collections::{BTreeMap, BTreeSet};

use ::projects::{
    Closing, Issue, IssueBody, IssueContent, IssueKind, IssueSeverity, IssueState, NewIssue,
};
use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::time::{CalendarDate, Timestamp};
use diesel::table;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    issues: IssueRow, NewIssueRow, ChangedIssueRow;
    fixed {
        project_id: BigInt,
        iid: BigInt,
        author_id: BigInt,
        created_at: BigInt,
    }
    changing {
        updated_at: BigInt,
        title: Text,
        description: Nullable<Text>,
        kind: SmallInt,
        severity: SmallInt,
        confidential: Bool,
        discussion_locked: Bool,
        due_date: Nullable<Integer>,
        milestone_id: Nullable<BigInt>,
        state: SmallInt,
        closed_at: Nullable<BigInt>,
        closed_by: Nullable<BigInt>,
    }
    later {
        user_notes_count: BigInt,
    }
}

table! {
    issue_labels (issue_id, label_id) {
        issue_id -> BigInt,
        label_id -> BigInt,
    }
}

table! {
    issue_assignees (issue_id, user_id) {
        issue_id -> BigInt,
        user_id -> BigInt,
    }
}

impl DomainRow for IssueRow {
    type Value = Issue;

    /// Reads the issue without its labels and assignees, which are in tables of their own.
    fn read(self) -> Result<Issue, StoreError> {
        let row = self.reader();
        let state = row.require(IssueState::from_number(self.state), "unknown state")?;
        let closing = match (state, self.closed_at, self.closed_by) {
            (IssueState::Opened, None, None) => None,
            (IssueState::Closed, Some(at), Some(by)) => Some(Closing {
                at: row.timestamp(at)?,
                by: UserId::new(by),
            }),
            _ => return Err(row.inconsistent("state does not match the closing time")),
        };
        let severity = IssueSeverity::from_number(self.severity);
        let content = IssueContent {
            title: self.title,
            description: self.description,
            kind: row.require(IssueKind::from_number(self.kind), "unknown kind")?,
            severity: row.require(severity, "unknown severity")?,
            confidential: self.confidential,
            discussion_locked: self.discussion_locked,
            due_date: self.due_date.map(|days| row.day(days)).transpose()?,
        };
        Ok(Issue {
            id: IssueId::new(self.id),
            iid: IssueIid::new(self.iid),
            project_id: ProjectId::new(self.project_id),
            author_id: UserId::new(self.author_id),
            body: IssueBody {
                content,
                closing,
                milestone_id: self.milestone_id.map(MilestoneId::new),
                labels: BTreeSet::new(),
                assignees: BTreeSet::new(),
            },
            user_notes_count: self.user_notes_count,
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> ChangedIssueRow<'v> {
    pub(super) fn new(body: &'v IssueBody, now: Timestamp) -> Self {
        let content = &body.content;
        let state = match body.closing {
            None => IssueState::Opened,
            Some(_) => IssueState::Closed,
        };
        Self {
            updated_at: now.as_micros(),
            title: content.title.as_str().into(),
            description: content.description.as_deref().map(Into::into),
            kind: content.kind.number(),
            severity: content.severity.number(),
            confidential: content.confidential,
            discussion_locked: content.discussion_locked,
            due_date: content.due_date.map(CalendarDate::as_days),
            milestone_id: body.milestone_id.map(MilestoneId::get),
            state: state.number(),
            closed_at: body.closing.map(|closing| closing.at.as_micros()),
            closed_by: body.closing.map(|closing| closing.by.get()),
        }
    }
}

impl<'v> NewIssueRow<'v> {
    pub(super) fn new(new: &'v NewIssue, iid: i64) -> Self {
        Self {
            project_id: new.project_id.get(),
            iid,
            author_id: new.author_id.get(),
            created_at: new.created_at.as_micros(),
            changing: ChangedIssueRow::new(&new.body, new.created_at),
        }
    }
}

/// Adds labels and assignees to issues, each as a pair with the id of its issue.
pub(super) fn complete(
    issues: Vec<Issue>,
    labels: Vec<(i64, i64)>,
    assignees: Vec<(i64, i64)>,
) -> Vec<Issue> {
    let order: Vec<IssueId> = issues.iter().map(|issue| issue.id).collect();
    let keyed = issues.into_iter().map(|issue| (issue.id, issue));
    let mut issues: BTreeMap<IssueId, Issue> = keyed.collect();
    for (id, label) in labels {
        if let Some(issue) = issues.get_mut(&IssueId::new(id)) {
            issue.body.labels.insert(LabelId::new(label));
        }
    }
    for (id, user) in assignees {
        if let Some(issue) = issues.get_mut(&IssueId::new(id)) {
            issue.body.assignees.insert(UserId::new(user));
        }
    }
    let ordered = order.into_iter();
    ordered.filter_map(|id| issues.remove(&id)).collect()
}
