//! `/api/v4/projects/:id/labels`: the labels of a project.

use std::collections::BTreeMap;

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::OffsetPage;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use api_conventions::time::CalendarDate;
use gatehouse_core::database::ReadTransaction;
use projects::rules::issues::project_scope;
use projects::wire::LabelJson;
use projects::{IssueCounts, IssueFilter, IssueScope, Label, LabelContent, LabelEdit, LabelFilter};
use records::{EditFields as _, NewRecord, RecordContent as _, RecordError, RecordQueries};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, MAX_ID, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
    put,
};

use crate::frame::api::ApiRequest;
use crate::frame::html::line_to_html;
use crate::frame::project::{InProject, PROJECT, SeesProject};
use crate::frame::scopes::{ReadApi, Reporter, WriteApi};

const TAG: &str = "labels";
const LABELS: &str = "/api/v4/projects/{id}/labels";
const LABEL: &str = "/api/v4/projects/{id}/labels/{label_id}";

const LABEL_ID: Parameter = Parameter::path(
    "label_id",
    ParameterKind::ANY_TEXT,
    "ID of the label, or its percent-encoded name.",
);
const RANK: ParameterKind = ParameterKind::Integer {
    min: 0,
    max: MAX_ID,
};
const COLOR: Parameter = Parameter::body(
    "color",
    ParameterKind::Matching("^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    "Color, as `#rrggbb` or `#rgb`.",
);
const DESCRIPTION: Parameter = Parameter::body(
    "description",
    ParameterKind::ANY_TEXT,
    "Description of the label.",
);
const PRIORITY: Parameter = Parameter::body("priority", RANK, "Priority. Send null to clear it.");

const NAMED: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 1, max: 255 },
    "Current name of the label, or its ID.",
);

const NAMED_IN_QUERY: Parameter =
    Parameter::query("name", NAMED.kind, "Name of the label, or its ID.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listLabels", LABELS, list)
            .documented(TAG, "List the labels of a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<LabelJson>>(
                200,
                "A page of labels.",
            )),
        get("showLabel", LABEL, show)
            .documented(TAG, "Get a label")
            .takes([PROJECT, LABEL_ID])
            .response(ResponseSpec::json::<LabelJson>(200, "The label.")),
        post("createLabel", LABELS, create)
            .documented(TAG, "Create a label")
            .takes([PROJECT, name("name").required(), COLOR.required()])
            .takes([DESCRIPTION, PRIORITY])
            .response(ResponseSpec::json::<LabelJson>(201, "The label."))
            .response(name_conflict()),
        put("updateLabel", LABEL, update)
            .documented(TAG, "Update a label (at least one field)")
            .takes([PROJECT, LABEL_ID, name("new_name"), COLOR])
            .takes([DESCRIPTION, PRIORITY])
            .response(ResponseSpec::json::<LabelJson>(200, "The updated label."))
            .response(name_conflict()),
        put("updateNamedLabel", LABELS, update_named)
            .documented(
                TAG,
                "Update a label named in the body (older form, still used by clients)",
            )
            .takes([PROJECT, NAMED.required(), name("new_name"), COLOR])
            .takes([DESCRIPTION, PRIORITY])
            .response(ResponseSpec::json::<LabelJson>(200, "The updated label."))
            .response(name_conflict()),
        delete("deleteLabel", LABEL, remove)
            .documented(TAG, "Delete a label")
            .takes([PROJECT, LABEL_ID])
            .response(ResponseSpec::empty(204, "Deleted.")),
        delete("deleteNamedLabel", LABELS, remove_named)
            .documented(
                TAG,
                "Delete a label named in the query (older form, still used by clients)",
            )
            .takes([PROJECT, NAMED_IN_QUERY.required()])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

fn filters() -> [Parameter; 3] {
    let counted = "True to include the numbers of issues and merge requests with the label.";
    let inherited = "Accepted and ignored: groups have no labels on this server.";
    [
        Parameter::query("search", ParameterKind::ANY_TEXT, "Text to search for."),
        Parameter::query("with_counts", ParameterKind::Boolean, counted),
        Parameter::query("include_ancestor_groups", ParameterKind::Boolean, inherited),
    ]
}

fn name(parameter: &'static str) -> Parameter {
    let kind = ParameterKind::Text { min: 1, max: 255 };
    Parameter::body(parameter, kind, "Name of the label, unique in the project.")
}

fn name_conflict() -> ResponseSpec {
    ResponseSpec::refusal(409, "Another label of the project has this name.")
}

/// Parses the filter of a list.
/// The flag is true if the list counts the issues of each label.
fn read_filter(params: &Params) -> Result<(LabelFilter, bool), ApiError> {
    let mut read = params.reader();
    let filter = LabelFilter {
        title: None,
        search: read.text("search").filter(|text| !text.is_empty()),
    };
    let with_counts = read.boolean("with_counts").unwrap_or_default();
    read.boolean("include_ancestor_groups");
    read.finish()?;
    Ok((filter, with_counts))
}

async fn list(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(request.params())?;
    let (filter, with_counts) = read_filter(request.params())?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let found = request.read(move |tx, project, access| {
        let page = Label::list(tx, project.id, &filter, paging)?;
        let issues = IssueFilter::new(project_scope(&project, access), viewer);
        let counts = with_counts
            .then(|| counts(tx, &page.items, &issues, today))
            .transpose()?;
        Ok((page, counts))
    });
    let (page, counts) = found.await?;
    request.page(paging, page, |label| {
        let counts = counts.as_ref().map(|counts| counts.get(&label.id).copied());
        json_of(
            label,
            counts.map(Option::unwrap_or_default),
            request.base_url(),
        )
    })
}

/// Counts the issues with each label of a page.
/// Labels without issues are left out.
fn counts(
    tx: &mut dyn ReadTransaction,
    labels: &[Label],
    issues: &IssueFilter,
    today: CalendarDate,
) -> Result<BTreeMap<LabelId, IssueCounts>, StoreError> {
    let ids: Vec<LabelId> = labels.iter().map(|label| label.id).collect();
    let counts = tx.count_issues_by_label(issues, &ids, today)?;
    Ok(counts.into_iter().collect())
}

/// Counts the issues with one label.
fn label_counts<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    label: &Label,
    issues: &IssueFilter,
    today: CalendarDate,
) -> Result<IssueCounts, StoreError> {
    let counts = tx.count_issues_by_label(issues, &[label.id], today)?;
    Ok(counts
        .first()
        .map(|(_, counts)| *counts)
        .unwrap_or_default())
}

/// JSON of a label, with its description as HTML.
fn json_of(label: Label, counts: Option<IssueCounts>, base_url: &str) -> LabelJson {
    let description = label.content.description.as_deref().unwrap_or_default();
    let html = line_to_html(description, base_url);
    LabelJson::new(label, html, counts)
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let label = reference(&request)?;
    let (viewer, today) = (request.viewer(), request.now().date());
    let found = request.read(move |tx, project, access| {
        let label = find(tx, project.id, &label)?;
        let issues = IssueFilter::new(project_scope(&project, access), viewer);
        let counts = label_counts(tx, &label, &issues, today)?;
        Ok((label, counts))
    });
    let (label, counts) = found.await?;
    request.json(&json_of(label, Some(counts), request.base_url()))
}

async fn create(request: InProject<Reporter, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = LabelEdit::read(&mut read, &[("title", Some("name"))]);
    read.demand(&["name", "color"]);
    read.finish()?;
    let created_at = request.now();
    let created = request.write(move |tx, project| {
        let content = edit.apply(LabelContent::default());
        let new = NewRecord::new(project.id, content, created_at);
        Ok(Label::create(tx, new)?)
    });
    let (label, _) = created.await?;
    let counts = Some(IssueCounts::default());
    Ok(HttpResponse::Created().json(json_of(label, counts, request.base_url())))
}

async fn update(request: InProject<Reporter, WriteApi>) -> Result<HttpResponse, Failure> {
    let label = reference(&request)?;
    change(request, label).await
}

/// Updates a label named in the body, the only form that python-gitlab uses.
async fn update_named(request: InProject<Reporter, WriteApi>) -> Result<HttpResponse, Failure> {
    let label = named(&request)?;
    change(request, label).await
}

/// Name of the label in the `name` parameter, for paths without a label.
fn named(request: &ApiRequest) -> Result<String, ApiError> {
    let mut read = request.params().reader();
    let label = read.text(NAMED.name);
    let label = read.required(NAMED.name, label);
    read.finish()?;
    label.value()
}

/// Updates a label with the fields of the body.
async fn change(
    request: InProject<Reporter, WriteApi>,
    label: String,
) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = LabelEdit::read(&mut read, &[("title", Some("new_name"))]);
    read.demand_one_of(&["new_name", "color", "description", "priority"]);
    read.finish()?;
    let (viewer, now) = (request.viewer(), request.now());
    let changed = request.write(move |tx, project| {
        let label = find(tx, project.id, &label)?;
        let (_, label) = Label::update(tx, project.id, label.id, &edit, now)?;
        let place = IssueScope::Project {
            id: project.id,
            sees_confidential: true,
        };
        let counts = label_counts(tx, &label, &IssueFilter::new(place, viewer), now.date())?;
        Ok((label, counts))
    });
    let ((label, counts), _) = changed.await?;
    request.json(&json_of(label, Some(counts), request.base_url()))
}

async fn remove(request: InProject<Reporter, WriteApi>) -> Result<Deletion, Failure> {
    let label = reference(&request)?;
    delete_label(request, label).await
}

async fn remove_named(request: InProject<Reporter, WriteApi>) -> Result<Deletion, Failure> {
    let label = named(&request)?;
    delete_label(request, label).await
}

async fn delete_label(
    request: InProject<Reporter, WriteApi>,
    label: String,
) -> Result<Deletion, Failure> {
    let condition = request.precondition();
    let deleted = request.write(move |tx, project| {
        let label = find(tx, project.id, &label)?;
        let flow = |since| Label::delete(tx, project.id, label.id, since);
        Ok(condition.check_in(flow)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

/// Reference to the label in the path.
fn reference(request: &ApiRequest) -> Result<String, ApiError> {
    request.segment(LABEL_ID.name, LabelContent::NAME)
}

/// Finds a label by id, or else by title.
fn find<T>(tx: &mut T, project: ProjectId, reference: &str) -> Result<Label, RecordError>
where
    T: RecordQueries<LabelContent> + ?Sized,
{
    if let Ok(number) = reference.parse()
        && let Some(label) = tx.find_record(project, LabelId::new(number))?
    {
        return Ok(label);
    }
    let titled = LabelFilter {
        title: Some(reference.to_owned()),
        search: None,
    };
    let found = Label::list(tx, project, &titled, OffsetPage::new(1, 1))?;
    let mut labels = found.items.into_iter();
    labels
        .next()
        .ok_or(RecordError::Unknown(LabelContent::NAME))
}
