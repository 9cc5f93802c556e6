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
use projects::rules::issues::in_project;
use projects::wire::LabelJson;
use projects::{IssueCounts, IssueFilter, IssuePlace, Label, LabelContent, LabelEdit, LabelFilter};
use records::{Content as _, EditFields as _, NewRecord, RecordError, RecordQueries};
use storage::StoreError;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, MAX_ID, Operation, Pages, Parameter, delete, get, post, put,
};

use crate::frame::api::ApiRequest;
use crate::frame::html::line_to_html;
use crate::frame::project::{InProject, PROJECT, SeesProject};
use crate::frame::scopes::{Read, Reporter, Write};

const TAG: &str = "labels";
const LABELS: &str = "/api/v4/projects/{id}/labels";
const LABEL: &str = "/api/v4/projects/{id}/labels/{label_id}";

const LABEL_ID: Parameter = Parameter::path(
    "label_id",
    Kind::ANY_TEXT,
    "The number of the label, or its name, percent-encoded.",
);
const RANK: Kind = Kind::Integer {
    min: 0,
    max: MAX_ID,
};
const COLOR: Parameter = Parameter::body(
    "color",
    Kind::Matching("^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
    "`#rrggbb` or `#rgb`.",
);
const DESCRIPTION: Parameter = Parameter::body("description", Kind::ANY_TEXT, "What it is for.");
const PRIORITY: Parameter = Parameter::body("priority", RANK, "Its rank; null takes it away.");

const NAMED: Parameter = Parameter::body(
    "name",
    Kind::Text { min: 1, max: 255 },
    "The name that the label has now, or its number.",
);

const NAMED_IN_QUERY: Parameter =
    Parameter::query("name", NAMED.kind, "The name of the label, or its number.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listLabels", LABELS, list)
            .documented(TAG, "List the labels of a project")
            .takes([PROJECT])
            .takes(filters())
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<LabelJson>>(200, "A page of the labels.")),
        get("showLabel", LABEL, show)
            .documented(TAG, "Show a label")
            .takes([PROJECT, LABEL_ID])
            .answers(Answer::json::<LabelJson>(200, "The label.")),
        post("createLabel", LABELS, create)
            .documented(TAG, "Make a label")
            .takes([PROJECT, name("name").required(), COLOR.required()])
            .takes([DESCRIPTION, PRIORITY])
            .answers(Answer::json::<LabelJson>(201, "The label."))
            .answers(taken()),
        put("updateLabel", LABEL, update)
            .documented(TAG, "Change a label: at least one of its fields")
            .takes([PROJECT, LABEL_ID, name("new_name"), COLOR])
            .takes([DESCRIPTION, PRIORITY])
            .answers(Answer::json::<LabelJson>(200, "The label as it is now."))
            .answers(taken()),
        put("updateNamedLabel", LABELS, update_named)
            .documented(
                TAG,
                "Change a label that the body names: the older form, which clients still send",
            )
            .takes([PROJECT, NAMED.required(), name("new_name"), COLOR])
            .takes([DESCRIPTION, PRIORITY])
            .answers(Answer::json::<LabelJson>(200, "The label as it is now."))
            .answers(taken()),
        delete("deleteLabel", LABEL, remove)
            .documented(TAG, "Delete a label")
            .takes([PROJECT, LABEL_ID])
            .answers(Answer::empty(204, "The label is gone.")),
        delete("deleteNamedLabel", LABELS, remove_named)
            .documented(
                TAG,
                "Delete a label that the query names: the older form, which clients still send",
            )
            .takes([PROJECT, NAMED_IN_QUERY.required()])
            .answers(Answer::empty(204, "Deleted.")),
    ]
}

fn filters() -> [Parameter; 3] {
    let counted = "Whether to tell how many issues and merge requests have it.";
    let inherited = "Whether to list labels of the groups above, too. There are none.";
    [
        Parameter::query(
            "search",
            Kind::ANY_TEXT,
            "Only labels that contain this text.",
        ),
        Parameter::query("with_counts", Kind::Boolean, counted),
        Parameter::query("include_ancestor_groups", Kind::Boolean, inherited),
    ]
}

fn name(parameter: &'static str) -> Parameter {
    let kind = Kind::Text { min: 1, max: 255 };
    Parameter::body(parameter, kind, "The name, unique in the project.")
}

fn taken() -> Answer {
    Answer::refusal(409, "Another label of the project has the name.")
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

async fn list(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(asked.params())?;
    let (filter, with_counts) = read_filter(asked.params())?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let found = asked.read(move |tx, project, access| {
        let page = Label::list(tx, project.id, &filter, paging)?;
        let issues = IssueFilter::new(in_project(&project, access), viewer);
        let counts = with_counts
            .then(|| counts(tx, &page.items, &issues, today))
            .transpose()?;
        Ok((page, counts))
    });
    let (page, counts) = found.await?;
    asked.page(paging, page, |label| {
        let counts = counts.as_ref().map(|counts| counts.get(&label.id).copied());
        json_of(
            label,
            counts.map(Option::unwrap_or_default),
            asked.base_url(),
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
fn counts_of<T: ReadTransaction + ?Sized>(
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

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let (viewer, today) = (asked.viewer(), asked.now().date());
    let found = asked.read(move |tx, project, access| {
        let label = find(tx, project.id, &label)?;
        let issues = IssueFilter::new(in_project(&project, access), viewer);
        let counts = counts_of(tx, &label, &issues, today)?;
        Ok((label, counts))
    });
    let (label, counts) = found.await?;
    asked.json(&json_of(label, Some(counts), asked.base_url()))
}

async fn create(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = LabelEdit::read(&mut read, &[("title", Some("name"))]);
    read.demand(&["name", "color"]);
    read.finish()?;
    let created_at = asked.now();
    let made = asked.write(move |tx, project| {
        let content = edit.apply(LabelContent::default());
        let new = NewRecord::new(project.id, content, created_at);
        Ok(Label::create(tx, new)?)
    });
    let (label, _) = made.await?;
    let counts = Some(IssueCounts::default());
    Ok(HttpResponse::Created().json(json_of(label, counts, asked.base_url())))
}

async fn update(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    change(asked, label).await
}

/// Updates a label named in the body, the only form that python-gitlab uses.
async fn update_named(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = named(&asked)?;
    change(asked, label).await
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
async fn change(asked: InProject<Reporter, Write>, label: String) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = LabelEdit::read(&mut read, &[("title", Some("new_name"))]);
    read.demand_one_of(&["new_name", "color", "description", "priority"]);
    read.finish()?;
    let (viewer, now) = (asked.viewer(), asked.now());
    let changed = asked.write(move |tx, project| {
        let label = find(tx, project.id, &label)?;
        let (_, label) = Label::update(tx, (project.id, label.id), &edit, now)?;
        let place = IssuePlace::Project {
            id: project.id,
            sees_confidential: true,
        };
        let counts = counts_of(tx, &label, &IssueFilter::new(place, viewer), now.date())?;
        Ok((label, counts))
    });
    let ((label, counts), _) = changed.await?;
    asked.json(&json_of(label, Some(counts), asked.base_url()))
}

async fn remove(request: InProject<Reporter, Write>) -> Result<Deletion, Failure> {
    let label = reference(&request)?;
    delete_label(request, label).await
}

async fn remove_named(request: InProject<Reporter, Write>) -> Result<Deletion, Failure> {
    let label = named(&request)?;
    delete_label(request, label).await
}

async fn delete_label(
    request: InProject<Reporter, Write>,
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
fn reference(asked: &ApiRequest) -> Result<String, ApiError> {
    asked.segment(LABEL_ID.name, LabelContent::NAME)
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
