//! Form for creating and editing an issue.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::{IssueIid, MilestoneId};
use api_conventions::page::OffsetPage;
use askama::Template;
use gatehouse_core::database::ReadTransaction;
use projects::rules::issues::{IssueRights, issue_rights};
use projects::{
    IssueKind, IssueSeverity, MilestoneFilter, MilestoneState, ProjectMilestone, Viewer,
};
use storage::StoreError;
use web_conventions::failure::Failure;

use super::fields::IssueFormValues;
use super::spam::FormRejection;
use super::{find, path_of};
use crate::areas::issues::view::IssuesWithRecords;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::held::HeldNotice;
use crate::frame::page::list::Choice;
use crate::frame::page::project::{Account, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Maximum number of open milestones that the form offers.
const MAX_MILESTONES: u64 = 100;

/// A milestone to choose from.
pub(super) struct MilestoneChoice {
    value: String,
    name: DisplayName,
}

/// Context of the form, besides the entered values.
pub(super) struct FormContext {
    milestones: Vec<MilestoneChoice>,
    /// True if the caller may change all fields, not only the title and the description.
    has_all: bool,
}

/// Error messages per field.
struct IssueFormErrors {
    title: Vec<String>,
    description: Vec<String>,
    kind: Vec<String>,
    severity: Vec<String>,
    labels: Vec<String>,
    assignees: Vec<String>,
    milestone: Vec<String>,
    due: Vec<String>,
}

#[derive(Template)]
#[template(path = "areas/issues/issue_form.html")]
struct FormPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    is_new: bool,
    has_all: bool,
    kinds: Vec<Choice>,
    severities: Vec<Choice>,
    milestones: &'a [MilestoneChoice],
    written: &'a IssueFormValues,
    wrong: IssueFormErrors,
    is_wrong: bool,
    held: Option<&'a HeldNotice>,
}

type IssuePageRequest = ProjectPage<Account>;

pub(super) async fn show_new(page: IssuePageRequest) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| Ok(load_context(tx, found, None)?));
    let (context, found) = read.await?;
    show(
        &page,
        &found,
        None,
        &IssueFormValues::default(),
        &context,
        None,
    )
}

pub(super) async fn show_edit(page: IssuePageRequest) -> Result<HttpResponse, PageFailure> {
    let (iid, viewer) = (IssueIid::new(page.number("iid")?), page.viewer());
    let read = page.read(move |tx, found| {
        let issue = find(tx, found, iid, viewer)?;
        check_rights(&issue, found, viewer)?;
        let context = load_context(tx, found, issue.body.milestone_id)?;
        let loaded = IssuesWithRecords::one(tx, issue.clone())?;
        Ok((IssueFormValues::of(&issue, &loaded), context))
    });
    let ((written, context), found) = read.await?;
    show(&page, &found, Some(iid), &written, &context, None)
}

/// Refuses callers who may not change the issue.
fn check_rights(
    issue: &projects::Issue,
    found: &ProjectContext,
    viewer: Viewer,
) -> Result<(), Failure> {
    let rights = viewer.user_id().map_or(IssueRights::None, |user| {
        issue_rights(issue, user, found.access)
    });
    if rights == IssueRights::None {
        return Err(api_conventions::error::ApiError::forbidden().into());
    }
    Ok(())
}

/// Loads the choices of the form: the open milestones, and the current milestone of the issue.
///
/// # Errors
/// Failures of the store.
pub(super) fn load_context(
    tx: &mut dyn ReadTransaction,
    found: &ProjectContext,
    current: Option<MilestoneId>,
) -> Result<FormContext, StoreError> {
    let filter = MilestoneFilter {
        state: Some(MilestoneState::Active),
        ..MilestoneFilter::default()
    };
    let paging = OffsetPage::new(1, MAX_MILESTONES);
    let mut milestones = ProjectMilestone::list(tx, found.project.id, &filter, paging)?.items;
    let missing = current.filter(|id| milestones.iter().all(|one| one.id != *id));
    milestones.extend(tx.list_milestones_by_id(&missing.into_iter().collect::<Vec<_>>())?);
    let choice = |milestone: ProjectMilestone| MilestoneChoice {
        value: milestone.id.to_string(),
        name: DisplayName::of(&milestone.content.title),
    };
    Ok(FormContext {
        milestones: milestones.into_iter().map(choice).collect(),
        has_all: found.allows::<Reporter>(),
    })
}

/// Answers with the form, and with the reason why it was not saved, if it was sent.
/// Only an existing issue has an IID.
pub(super) fn show(
    page: &IssuePageRequest,
    found: &ProjectContext,
    iid: Option<IssueIid>,
    written: &IssueFormValues,
    context: &FormContext,
    rejection: Option<FormRejection>,
) -> Result<HttpResponse, PageFailure> {
    let (failures, held) = match rejection {
        None => (ValidationFailures::default(), None),
        Some(FormRejection::Invalid(failures)) => (failures, None),
        Some(FormRejection::Held(held)) => (ValidationFailures::default(), Some(*held)),
    };
    let list = format!("{}/-/issues", found.path());
    let action = iid.map_or(list, |iid| path_of(found, iid));
    let title = if iid.is_none() {
        "New issue"
    } else {
        "Edit the issue"
    };
    let of = |field, subject| sentences(subject, failures.of(field));
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    let response = page.show_with(
        status,
        &FormPage {
            shell: page.shell(found, Section::Issues, title),
            cancel: action.clone(),
            action,
            is_new: iid.is_none(),
            has_all: context.has_all,
            kinds: Choice::all(IssueKind::NAMES, &written.kind),
            severities: Choice::all(IssueSeverity::NAMES, &written.severity),
            milestones: &context.milestones,
            written,
            is_wrong: !failures.is_empty(),
            wrong: IssueFormErrors {
                title: of("title", "The title"),
                description: of("description", "The description"),
                kind: of("issue_type", "The type"),
                severity: of("severity", "The severity"),
                labels: of("labels", "The label"),
                assignees: of("assignees", "The assignees"),
                milestone: of("milestone_id", "The milestone"),
                due: of("due_date", "The due date"),
            },
            held: held.as_ref(),
        },
    )?;
    match &held {
        Some(held) => held.apply_to(response),
        None => Ok(response),
    }
}
