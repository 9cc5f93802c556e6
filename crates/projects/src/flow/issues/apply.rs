//! Computation of the content of an issue after an edit.

use std::collections::BTreeSet;

use api_conventions::error::ValidationFailures;
use api_conventions::ids::{LabelId, MilestoneId, ProjectId};
use api_conventions::validation;
use records::{NewRecord, RecordQueries};

use super::{
    DEFAULT_COLOR, IssueActor, IssueEdit, IssueError, IssueTx, LabelsEdit, MAX_ASSIGNEES,
    MAX_LABELS,
};
use crate::model::{
    Closing, IssueBody, IssueKind, IssueSeverity, IssueState, Label, LabelContent, MilestoneContent,
};
use crate::rules::quick_actions::refusal;

/// Applies an edit by a user who has permission for all of it.
/// The project is locked.
pub(super) fn apply<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    before: &IssueBody,
    edit: IssueEdit,
    by: IssueActor,
) -> Result<IssueBody, IssueError> {
    let mut body = before.clone();
    body.content = edit.content.apply(body.content);
    if body.content.kind != IssueKind::Incident {
        body.content.severity = IssueSeverity::Unknown;
    }
    body.closing = match (edit.state, body.closing) {
        (None, closing) | (Some(IssueState::Closed), closing @ Some(_)) => closing,
        (Some(IssueState::Opened), _) => None,
        (Some(IssueState::Closed), None) => Some(Closing {
            at: by.now,
            by: by.user,
        }),
    };
    let mut failures = validation::check(&body.content);
    let is_rewritten = body.content.description != before.content.description;
    let action = body.content.description.as_deref().and_then(refusal);
    if let Some(text) = action.filter(|_| is_rewritten) {
        failures.add("description", text);
    }
    if let Some(milestone) = edit.milestone {
        if !is_of_project(repos, project, milestone)? {
            failures.add("milestone_id", "is invalid");
        }
        body.milestone_id = milestone;
    }
    if let Some(assignees) = edit.assignees {
        body.assignees = assignees;
    }
    check_count(
        &mut failures,
        "assignees",
        body.assignees.len(),
        MAX_ASSIGNEES,
    );
    let named = edit
        .labels
        .set
        .iter()
        .flatten()
        .chain(&edit.labels.add)
        .count();
    check_count(&mut failures, "labels", named, MAX_LABELS);
    if failures.is_empty() {
        body.labels = labels(repos, project, body.labels, edit.labels, by)?;
        check_count(&mut failures, "labels", body.labels.len(), MAX_LABELS);
    }
    if failures.is_empty() {
        Ok(body)
    } else {
        Err(IssueError::Invalid(failures))
    }
}

fn check_count(failures: &mut ValidationFailures, attribute: &str, count: usize, most: usize) {
    if count > most && failures.of(attribute).is_empty() {
        failures.add(
            attribute,
            format!("total must be less than or equal to {most}"),
        );
    }
}

fn is_of_project<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    milestone: Option<MilestoneId>,
) -> Result<bool, IssueError> {
    let Some(id) = milestone else {
        return Ok(true);
    };
    let found = RecordQueries::<MilestoneContent>::find_record(repos, project, id)?;
    Ok(found.is_some())
}

/// Labels after an edit.
/// Creates those that the project does not have yet.
fn labels<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    before: BTreeSet<LabelId>,
    edit: LabelsEdit,
    by: IssueActor,
) -> Result<BTreeSet<LabelId>, IssueError> {
    let mut labels = before;
    if let Some(titles) = edit.set {
        labels = ids(repos, project, titles, by)?;
    }
    if !edit.add.is_empty() {
        labels.extend(ids(repos, project, edit.add, by)?);
    }
    if !edit.remove.is_empty() {
        for label in repos.list_labels_by_title(project, &edit.remove)? {
            labels.remove(&label.id);
        }
    }
    Ok(labels)
}

fn ids<R: IssueTx + ?Sized>(
    repos: &mut R,
    project: ProjectId,
    titles: Vec<String>,
    by: IssueActor,
) -> Result<BTreeSet<LabelId>, IssueError> {
    let known = repos.list_labels_by_title(project, &titles)?;
    let mut ids: BTreeSet<LabelId> = known.iter().map(|label| label.id).collect();
    let is_known = |title: &String| known.iter().any(|label| label.content.title == *title);
    let unknown: BTreeSet<String> = titles
        .into_iter()
        .filter(|title| !is_known(title))
        .collect();
    for title in unknown {
        let content = LabelContent {
            title,
            color: DEFAULT_COLOR.to_owned(),
            ..LabelContent::default()
        };
        let made = Label::create(repos, NewRecord::new(project, content, by.now));
        ids.insert(made.map_err(IssueError::Label)?.id);
    }
    Ok(ids)
}
