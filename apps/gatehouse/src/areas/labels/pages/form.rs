//! Form to create or edit a label.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::LabelId;
use api_conventions::params::Params;
use askama::Template;
use projects::{Label, LabelEdit};
use records::EditFields as _;

use crate::frame::form::PageForm;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::project::{ProjectContext, ProjectPage, RoleOrForbidden};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

/// Default color of a new label.
const DEFAULT_COLOR: &str = "#6699cc";

/// Submitted values of the form, unchanged.
#[derive(Debug, Clone, Default)]
pub(super) struct LabelFormValues {
    name: String,
    color: String,
    description: String,
    priority: String,
    /// Name typed to confirm the deletion of the label.
    pub(super) confirm: String,
}

/// Errors of each field, as sentences.
struct LabelFormErrors {
    name: Vec<String>,
    color: Vec<String>,
    description: Vec<String>,
    priority: Vec<String>,
    confirm: Vec<String>,
}

#[derive(Template)]
#[template(path = "areas/labels/label_form.html")]
struct LabelFormPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    /// Name of the existing label.
    kept: Option<String>,
    values: &'a LabelFormValues,
    wrong: LabelFormErrors,
    is_wrong: bool,
}

type LabelEditPage = ProjectPage<RoleOrForbidden<Reporter>>;

pub(super) async fn show_new(page: LabelEditPage) -> Result<HttpResponse, PageFailure> {
    let ((), found) = page.read(|_, _| Ok(())).await?;
    let values = LabelFormValues {
        color: DEFAULT_COLOR.to_owned(),
        ..LabelFormValues::default()
    };
    show(&page, &found, None, &values, &ValidationFailures::default())
}

pub(super) async fn show_edit(page: LabelEditPage) -> Result<HttpResponse, PageFailure> {
    let id = LabelId::new(page.number("label")?);
    let read = page.read(move |tx, found| Ok(Label::find(tx, found.project.id, id)?));
    let (label, found) = read.await?;
    let values = LabelFormValues::of(&label);
    show(
        &page,
        &found,
        Some(&label),
        &values,
        &ValidationFailures::default(),
    )
}

/// Responds with the form and its errors.
pub(super) fn show(
    page: &LabelEditPage,
    found: &ProjectContext,
    label: Option<&Label>,
    values: &LabelFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let list = format!("{}/-/labels", found.path());
    let title = if label.is_none() {
        "New label"
    } else {
        "Edit the label"
    };
    let of = |field, subject| sentences(subject, failures.of(field));
    let status = if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    };
    page.show_with(
        status,
        &LabelFormPage {
            shell: page.shell(found, Section::Labels, title),
            action: label.map_or_else(|| list.clone(), |label| format!("{list}/{}", label.id)),
            cancel: list,
            kept: label.map(|label| label.content.title.clone()),
            values,
            is_wrong: !failures.is_empty(),
            wrong: LabelFormErrors {
                // The error about a name in use is already a whole sentence.
                name: [of("title", "The name"), failures.of("name").to_vec()].concat(),
                color: of("color", "The color"),
                description: of("description", "The description"),
                priority: of("priority", "The priority"),
                confirm: of("confirm", "The name"),
            },
        },
    )
}

impl LabelFormValues {
    /// Reads a submitted form.
    pub(super) fn from_form(form: &PageForm) -> Self {
        let text = |name| form.text(name).to_owned();
        Self {
            name: text("name"),
            color: text("color"),
            description: text("description").replace("\r\n", "\n"),
            priority: form.text("priority").trim().to_owned(),
            confirm: text("confirm"),
        }
    }

    /// Values of an existing label.
    pub(super) fn of(label: &Label) -> Self {
        let content = &label.content;
        Self {
            name: content.title.clone(),
            color: content.color.clone(),
            description: content.description.clone().unwrap_or_default(),
            priority: content
                .priority
                .map(|rank| rank.to_string())
                .unwrap_or_default(),
            confirm: String::new(),
        }
    }

    /// Parses the values as the API would.
    ///
    /// # Errors
    /// Fields that cannot be parsed.
    pub(super) fn edit(&self) -> Result<LabelEdit, ValidationFailures> {
        let mut failures = ValidationFailures::default();
        if !self.priority.is_empty() && self.priority.parse::<i64>().is_err() {
            failures.add("priority", "is invalid");
            return Err(failures);
        }
        let fields = [
            ("name", &self.name),
            ("color", &self.color),
            ("description", &self.description),
            ("priority", &self.priority),
        ];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.clone()));
        let params = Params::from_fields(&fields).unwrap_or_default();
        Ok(LabelEdit::read(
            &mut params.reader(),
            &[("title", Some("name"))],
        ))
    }
}
