//! Form to create or edit a milestone.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::MilestoneIid;
use api_conventions::params::Params;
use api_conventions::time::CalendarDate;
use askama::Template;
use projects::{MilestoneEdit, ProjectMilestone};
use records::EditFields as _;

use super::find;
use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::field_failures::check_days;
use crate::frame::page::format::sentences;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrForbidden};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Submitted values of the form, unchanged.
#[derive(Debug, Clone, Default)]
pub(super) struct MilestoneFormValues {
    title: String,
    description: String,
    start: String,
    due: String,
}

/// Errors of each field, as sentences.
struct MilestoneFormErrors {
    title: Vec<String>,
    description: Vec<String>,
    start: Vec<String>,
    due: Vec<String>,
}

#[derive(Template)]
#[template(path = "areas/milestones/milestone_form.html")]
struct MilestoneFormPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    is_new: bool,
    values: &'a MilestoneFormValues,
    wrong: MilestoneFormErrors,
    is_wrong: bool,
}

type MilestoneEditPage = ProjectPage<RoleOrForbidden<Reporter>>;

pub(super) async fn show_new(page: MilestoneEditPage) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    let nothing = ValidationFailures::default();
    show(
        &page,
        &found,
        None,
        &MilestoneFormValues::default(),
        &nothing,
    )
}

pub(super) async fn show_edit(page: MilestoneEditPage) -> Result<HttpResponse, PageFailure> {
    let iid = MilestoneIid::new(page.number("iid")?);
    let (milestone, found) = page.read(move |tx, found| find(tx, found, iid)).await?;
    let nothing = ValidationFailures::default();
    show(
        &page,
        &found,
        Some(iid),
        &MilestoneFormValues::of(&milestone),
        &nothing,
    )
}

/// Responds with the form and its errors.
/// `iid` is the number of an existing milestone.
pub(super) fn show(
    page: &MilestoneEditPage,
    found: &ProjectContext,
    iid: Option<MilestoneIid>,
    values: &MilestoneFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let list = format!("{}/-/milestones", found.path());
    let action = iid.map_or_else(|| list.clone(), |iid| format!("{list}/{iid}"));
    let title = if iid.is_none() {
        "New milestone"
    } else {
        "Edit the milestone"
    };
    let of = |field, subject| sentences(subject, failures.of(field));
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page.show_with(
        status,
        &MilestoneFormPage {
            shell: page.shell(found, Section::Milestones, title),
            cancel: action.clone(),
            action,
            is_new: iid.is_none(),
            values,
            is_wrong: !failures.is_empty(),
            wrong: MilestoneFormErrors {
                title: of("title", "The title"),
                description: of("description", "The description"),
                start: of("start_date", "The start date"),
                due: of("due_date", "The due date"),
            },
        },
    )
}

impl MilestoneFormValues {
    /// Reads a submitted form.
    /// Browsers send CRLF line ends, which become LF, as API clients send them.
    pub(super) fn from_form(form: &PageForm) -> Self {
        Self {
            title: form.text("title").to_owned(),
            description: form.text("description").replace("\r\n", "\n"),
            start: form.text("start_date").trim().to_owned(),
            due: form.text("due_date").trim().to_owned(),
        }
    }

    fn of(milestone: &ProjectMilestone) -> Self {
        let content = &milestone.content;
        let day = |date: Option<CalendarDate>| date.map(|date| date.to_string());
        Self {
            title: content.title.clone(),
            description: content.description.clone().unwrap_or_default(),
            start: day(content.start_date).unwrap_or_default(),
            due: day(content.due_date).unwrap_or_default(),
        }
    }

    /// Parses the values as the API would.
    ///
    /// # Errors
    /// Fields that cannot be parsed.
    pub(super) fn edit(&self) -> Result<MilestoneEdit, ValidationFailures> {
        let mut failures = ValidationFailures::default();
        let days = [("start_date", &*self.start), ("due_date", &*self.due)];
        check_days(&mut failures, &days);
        if !failures.is_empty() {
            return Err(failures);
        }
        let fields = [("title", &*self.title), ("description", &*self.description)];
        let fields = fields.into_iter().chain(days);
        let fields: Vec<_> = fields
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let params = Params::from_fields(&fields).unwrap_or_default();
        Ok(MilestoneEdit::read(
            &mut params.reader(),
            &[("state", None)],
        ))
    }
}
