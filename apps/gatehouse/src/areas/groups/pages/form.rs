//! Values of the group form, and the page for creating a group.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::access::Visibility;
use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::params::Params;
use askama::Template;
use projects::{GroupContent, GroupEdit};
use records::EditFields as _;
use web_conventions::failure::Failure;

use super::MINE;
use super::home::makes_subgroups;
use crate::frame::form::PageForm;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::sentences;
use crate::frame::page::group::{GroupContext, GroupPage};
use crate::frame::page::list::Choice;
use crate::frame::page::project::Account;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::page::side::Section;
use crate::frame::visitor::SignedInVisitor;
use crate::state::AppState;

/// Field values, as entered.
#[derive(Debug, Clone)]
pub(super) struct GroupFormValues {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) description: String,
    pub(super) visibility: String,
}

/// Error messages per field.
pub(super) struct GroupFormErrors {
    pub(super) name: Vec<String>,
    pub(super) path: Vec<String>,
    pub(super) description: Vec<String>,
    pub(super) visibility: Vec<String>,
}

#[derive(Template)]
#[template(path = "areas/groups/group_form.html")]
struct NewGroupPage<'a> {
    shell: Shell,
    action: String,
    cancel: String,
    parent: Option<DisplayName>,
    /// Part of the group's address before its own path segment.
    above: String,
    written: &'a GroupFormValues,
    visibilities: Vec<Choice>,
    wrong: GroupFormErrors,
    is_wrong: bool,
}

/// Answers with the form for a top-level group.
pub(super) async fn show_new(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: SignedInVisitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    let nothing = ValidationFailures::default();
    show_top_level(&page, &GroupFormValues::default(), &nothing)
}

/// Answers with the form for a subgroup, if the visitor may create one.
pub(super) async fn show_new_subgroup(
    page: GroupPage<Account>,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|_, found| {
        let may = makes_subgroups(found);
        Ok(may.then_some(()).ok_or_else(ApiError::unknown_route)?)
    });
    let ((), found) = read.await?;
    let nothing = ValidationFailures::default();
    show_subgroup(&page, &found, &GroupFormValues::default(), &nothing)
}

/// Answers with the form for a top-level group, and its validation failures.
pub(super) fn show_top_level(
    page: &PageRequest<'_>,
    written: &GroupFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let form = NewGroupPage {
        shell: page.shell(SiteArea::Groups, "New group"),
        action: MINE.to_owned(),
        cancel: MINE.to_owned(),
        parent: None,
        above: format!("{}/", page.state.base_url),
        written,
        visibilities: visibilities(Visibility::Public, written),
        wrong: GroupFormErrors::new(failures),
        is_wrong: !failures.is_empty(),
    };
    page.show_with(status(failures), &form)
}

/// Answers with the form for a subgroup, and its validation failures.
pub(super) fn show_subgroup(
    page: &GroupPage<Account>,
    found: &GroupContext,
    written: &GroupFormValues,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let (path, base_url) = (found.path(), &page.state().base_url);
    let form = NewGroupPage {
        shell: page.shell(found, Section::Overview, "New subgroup"),
        action: format!("{path}/-/subgroups"),
        parent: Some(DisplayName::of(&found.group.content.name)),
        above: format!("{base_url}/{}/", found.group.full_path.as_str()),
        written,
        visibilities: visibilities(found.group.content.visibility, written),
        wrong: GroupFormErrors::new(failures),
        is_wrong: !failures.is_empty(),
        cancel: path,
    };
    page.show_with(status(failures), &form)
}

/// HTTP status of a response with a form.
pub(super) fn status(failures: &ValidationFailures) -> StatusCode {
    if failures.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::UNPROCESSABLE_ENTITY
    }
}

/// Visibility choices within a parent whose visibility is `widest`.
pub(super) fn visibilities(widest: Visibility, written: &GroupFormValues) -> Vec<Choice> {
    const ALL: &[&str] = &Visibility::NAMES;
    let last = ALL.iter().position(|word| *word == widest.as_str());
    let words = last.and_then(|last| ALL.get(..=last)).unwrap_or(ALL);
    Choice::all(words, &written.visibility)
}

impl Default for GroupFormValues {
    fn default() -> Self {
        Self::of(&GroupContent::default())
    }
}

impl GroupFormValues {
    /// Reads the values of a form.
    /// Converts the CRLF line endings of browsers to those that API clients send.
    pub(super) fn from_form(form: &PageForm) -> Self {
        Self {
            name: form.text("name").to_owned(),
            path: form.text("path").trim().to_owned(),
            description: form.text("description").replace("\r\n", "\n"),
            visibility: form.text("visibility").trim().to_owned(),
        }
    }

    /// Returns the values of a group.
    pub(super) fn of(content: &GroupContent) -> Self {
        Self {
            name: content.name.clone(),
            path: content.path.clone(),
            description: content.description.clone(),
            visibility: content.visibility.as_str().to_owned(),
        }
    }

    /// Parses the values and the `further` fields into an edit, by the rules of the API.
    ///
    /// # Errors
    /// 400 for a value that a field does not accept.
    pub(super) fn edit(&self, further: &[(&str, &str)]) -> Result<GroupEdit, PageFailure> {
        let fields = [
            ("name", &*self.name),
            ("path", &*self.path),
            ("description", &*self.description),
            ("visibility", &*self.visibility),
        ];
        let fields = fields.iter().chain(further);
        let fields: Vec<_> = fields
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let params = Params::from_fields(&fields).map_err(Failure::from)?;
        let mut reader = params.reader();
        let edit = GroupEdit::read(&mut reader, &[]);
        reader.finish().map_err(Failure::from)?;
        Ok(edit)
    }
}

impl GroupFormErrors {
    /// Builds the error messages from validation failures.
    pub(super) fn new(failures: &ValidationFailures) -> Self {
        let of = |field, subject| sentences(subject, failures.of(field));
        let mut path = of("path", "The path");
        path.extend(of("parent_id", "The group"));
        Self {
            name: of("name", "The name"),
            path,
            description: of("description", "The description"),
            visibility: of("visibility", "The visibility"),
        }
    }
}
