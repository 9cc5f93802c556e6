//! `/api/v4/projects/:id/labels`: the labels of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use projects::flow::labels::{LabelError, change_label, create_label, delete_label, find_label};
use projects::wire::LabelJson;
use projects::{LabelEdit, LabelText, NewLabel};
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
    let search = read.text("search").filter(|text| !text.is_empty());
    let with_counts = read.boolean("with_counts").unwrap_or_default();
    read.boolean("include_ancestor_groups");
    read.finish()?;
    let found = asked
        .read(move |tx, project, _| Ok(tx.list_labels(project.id, search.as_deref(), paging)?));
    let page = found.await?;
    asked.page(paging, page, |label| LabelJson::new(label, with_counts))
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let found =
        asked.read(move |tx, project, _| find_label(tx, project.id, &label).map_err(refused));
    asked.json(&LabelJson::new(found.await?, false))
}

async fn create(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let text = read_text(asked.params())?;
    let created_at = asked.now();
    let made = asked.write(move |tx, project| {
        let new = NewLabel {
            project_id: project.id,
            text: text.clone(),
            created_at,
        };
        create_label(tx, &new).map_err(refused)
    });
    let (label, _) = made.await?;
    Ok(HttpResponse::Created().json(LabelJson::new(label, false)))
}

async fn update(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let edit = read_edit(asked.params())?;
    let now = asked.now();
    let changed = asked.write(move |tx, project| {
        change_label(tx, (project.id, &label), &edit, now).map_err(refused)
    });
    let (label, _) = changed.await?;
    asked.json(&LabelJson::new(label, false))
}

async fn remove(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let label = reference(&asked)?;
    let deleted =
        asked.write(move |tx, project| delete_label(tx, project.id, &label).map_err(refused));
    deleted.await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What the path names the label by.
fn reference(asked: &ApiRequest) -> Result<String, ApiError> {
    asked.segment(LABEL_ID.name, "Label")
}

fn refused(error: LabelError) -> Failure {
    match error {
        LabelError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

fn read_text(params: &Params) -> Result<LabelText, ApiError> {
    let mut read = params.reader();
    let title = read.text("name");
    let title = read.required("name", title);
    let color = read.text("color");
    let color = read.required("color", color);
    let description = read.text("description").filter(|text| !text.is_empty());
    let priority = read.integer("priority");
    read.finish()?;
    Ok(LabelText {
        title: title.value()?,
        description,
        color: color.value()?,
        priority,
    })
}

/// The change that the request asks for. An empty or absent value under a name that is given takes away what may be absent.
fn read_edit(params: &Params) -> Result<LabelEdit, ApiError> {
    let is_given = |name: &str| params.get(name).is_some();
    let mut read = params.reader();
    if !["new_name", "color", "description", "priority"]
        .into_iter()
        .any(is_given)
    {
        let names = "new_name, color, description, priority";
        read.fault(
            names,
            "are missing, at least one parameter must be provided",
        );
    }
    let description = read.text("description").filter(|text| !text.is_empty());
    let priority = read.integer("priority");
    let edit = LabelEdit {
        title: read.text("new_name"),
        description: is_given("description").then_some(description),
        color: read.text("color"),
        priority: is_given("priority").then_some(priority),
    };
    read.finish()?;
    Ok(edit)
}
