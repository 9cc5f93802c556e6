//! `/api/v4/projects/:id/labels`: the labels of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{LabelId, ProjectId};
use api_conventions::page::OffsetPage;
use api_conventions::paging::Paging;
use projects::wire::LabelJson;
use projects::{Label, LabelContent, LabelEdit, LabelFilter};
use records::{Content as _, EditFields as _, NewRecord, RecordError, RecordQueries};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Kind, MAX_ID, Operation, Pages, Parameter, delete, get, post, put,
};

use crate::frame::api::ApiRequest;
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

/// The operations.
pub fn operations() -> Vec<Operation> {
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
        delete("deleteLabel", LABEL, remove)
            .documented(TAG, "Delete a label")
            .takes([PROJECT, LABEL_ID])
            .answers(Answer::empty(204, "The label is gone.")),
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

async fn list(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let paging = Paging::offset(asked.params())?;
    let mut read = asked.params().reader();
    let filter = LabelFilter {
        title: None,
        search: read.text("search").filter(|text| !text.is_empty()),
    };
    let with_counts = read.boolean("with_counts").unwrap_or_default();
    read.boolean("include_ancestor_groups");
    read.finish()?;
    let found = asked.read(move |tx, project, _| Ok(Label::list(tx, project.id, &filter, paging)?));
    let page = found.await?;
    asked.page(paging, page, |label| LabelJson::new(label, with_counts))
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let found = asked.read(move |tx, project, _| Ok(find(tx, project.id, &label)?));
    asked.json(&LabelJson::new(found.await?, false))
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
    Ok(HttpResponse::Created().json(LabelJson::new(label, false)))
}

async fn update(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let mut read = asked.params().reader();
    let edit = LabelEdit::read(&mut read, &[("title", Some("new_name"))]);
    read.demand_one_of(&["new_name", "color", "description", "priority"]);
    read.finish()?;
    let now = asked.now();
    let changed = asked.write(move |tx, project| {
        let label = find(tx, project.id, &label)?;
        Ok(Label::update(tx, (project.id, label.id), &edit, now)?)
    });
    let ((_, label), _) = changed.await?;
    asked.json(&LabelJson::new(label, false))
}

async fn remove(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let deleted = asked.write(move |tx, project| {
        let label = find(tx, project.id, &label)?;
        Ok(Label::delete(tx, project.id, label.id)?)
    });
    deleted.await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What the path names the label by.
fn reference(asked: &ApiRequest) -> Result<String, ApiError> {
    asked.segment(LABEL_ID.name, LabelContent::NAME)
}

/// The label with an id, or else with a title, as the path names it.
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
