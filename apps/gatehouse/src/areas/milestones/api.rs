//! `/api/v4/projects/:id/milestones`: the milestones of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{MilestoneId, MilestoneIid};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::records_in_feed;
use projects::wire::MilestoneJson;
use projects::{
    MilestoneContent, MilestoneEdit, MilestoneFilter, MilestoneState, Project, ProjectMilestone,
};
use records::{EditFields as _, NewRecord, RecordContent as _};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, UnsupportedFilter, delete,
    get, post, put,
};

use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT, SeesProject};
use crate::frame::scopes::{ReadApi, Reporter, WriteApi};

const MILESTONES: &str = "/api/v4/projects/{id}/milestones";
const MILESTONE: &str = "/api/v4/projects/{id}/milestones/{milestone_id}";

const TAG: &str = "milestones";
const ID: Parameter = Parameter::path("milestone_id", ParameterKind::ID, "ID of the milestone.");
const TITLE: Parameter = Parameter::body(
    "title",
    ParameterKind::Text { min: 1, max: 255 },
    "Title of the milestone.",
);
const DESCRIPTION: Parameter = Parameter::body(
    "description",
    ParameterKind::ANY_TEXT,
    "Description of the milestone. Send an empty value to clear it.",
);
const START: Parameter = Parameter::body("start_date", ParameterKind::Date, "Start date.");
const DUE: Parameter = Parameter::body("due_date", ParameterKind::Date, "Due date.");
const EVENT: Parameter = Parameter::body(
    "state_event",
    ParameterKind::Word(MilestoneState::EVENTS),
    "Closes or reopens the milestone.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let state = ParameterKind::Word(MilestoneState::NAMES);
    vec![
        get("listMilestones", MILESTONES, list)
            .documented(TAG, "List the milestones of a project")
            .takes([
                PROJECT,
                Parameter::query("iids", ParameterKind::Numbers, "Filter by IID."),
                Parameter::query("state", state, "Filter by state."),
                Parameter::query("title", ParameterKind::ANY_TEXT, "Filter by exact title."),
                Parameter::query(
                    "search",
                    ParameterKind::ANY_TEXT,
                    "Text to search for in titles and descriptions.",
                ),
                Parameter::query(
                    "search_title",
                    ParameterKind::ANY_TEXT,
                    "Text to search for in titles.",
                ),
                Parameter::query(
                    "updated_after",
                    ParameterKind::Timestamp,
                    "Only milestones updated at or after this time.",
                ),
                Parameter::query(
                    "updated_before",
                    ParameterKind::Timestamp,
                    "Only milestones last updated at or before this time.",
                ),
            ])
            .without_filters([UnsupportedFilter::Value("containing_date")])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<MilestoneJson>>(
                200,
                "A page of milestones, newest first.",
            )),
        post("createMilestone", MILESTONES, create)
            .documented(TAG, "Create a milestone")
            .takes([PROJECT, TITLE.required(), DESCRIPTION, START, DUE])
            .response(ResponseSpec::json::<MilestoneJson>(201, "The milestone.")),
        get("showMilestone", MILESTONE, show)
            .documented(TAG, "Get a milestone")
            .takes([PROJECT, ID])
            .response(ResponseSpec::json::<MilestoneJson>(200, "The milestone.")),
        put("updateMilestone", MILESTONE, update)
            .documented(TAG, "Update a milestone")
            .takes([PROJECT, ID, TITLE, DESCRIPTION, START, DUE, EVENT])
            .response(ResponseSpec::json::<MilestoneJson>(
                200,
                "The updated milestone.",
            )),
        delete("deleteMilestone", MILESTONE, remove)
            .documented(TAG, "Delete a milestone")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

async fn list(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(request.params())?;
    let paging = Paging::offset(request.params())?;
    let found = request.read(move |tx, project, _| {
        Ok((
            ProjectMilestone::list(tx, project.id, &filter, paging)?,
            project,
        ))
    });
    let (page, project) = found.await?;
    request.page(paging, page, |milestone| {
        milestone_json(&request, milestone, &project)
    })
}

pub(super) fn read_filter(params: &Params) -> Result<MilestoneFilter, ApiError> {
    let mut read = params.reader();
    let filter = MilestoneFilter {
        iids: read.words("iids", |text| text.parse().ok().map(MilestoneIid::new)),
        state: read.word("state", MilestoneState::parse),
        title: read.text("title").filter(|text| !text.is_empty()),
        search: read.text("search").filter(|text| !text.is_empty()),
        search_title: read.text("search_title").filter(|text| !text.is_empty()),
        updated_after: read.timestamp("updated_after"),
        updated_before: read.timestamp("updated_before"),
    };
    read.finish()?;
    Ok(filter)
}

async fn show(request: SeesProject<ReadApi>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&request)?;
    let found = request
        .read(move |tx, project, _| Ok((ProjectMilestone::find(tx, project.id, id)?, project)));
    let (milestone, project) = found.await?;
    request.json(&milestone_json(&request, milestone, &project))
}

async fn create(request: InProject<Reporter, WriteApi>) -> Result<HttpResponse, Failure> {
    let mut read = request.params().reader();
    let edit = MilestoneEdit::read(&mut read, &[("state", None)]);
    read.demand(&[TITLE.name]);
    read.finish()?;
    let (actor, created_at) = (request.actor_id(), request.now());
    let created = request.write(move |tx, project| {
        let content = edit.apply(MilestoneContent::default());
        let new = NewRecord::new(project.id, content, created_at);
        Ok(records_in_feed::create(tx, new, actor)?)
    });
    let (created, project) = created.await?;
    Ok(HttpResponse::Created().json(milestone_json(&request, created, &project)))
}

async fn update(request: InProject<Reporter, WriteApi>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&request)?;
    let mut read = request.params().reader();
    let edit = MilestoneEdit::read(&mut read, &[("state", Some(EVENT.name))]);
    read.finish()?;
    let (actor, now) = (request.actor_id(), request.now());
    let changed = request.write(move |tx, project| {
        Ok(records_in_feed::update::<MilestoneContent, _>(
            tx, project.id, id, &edit, actor, now,
        )?)
    });
    let (milestone, project) = changed.await?;
    request.json(&milestone_json(&request, milestone, &project))
}

async fn remove(request: InProject<Reporter, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (milestone_id(&request)?, request.precondition());
    let (actor, now) = (request.actor_id(), request.now());
    let deleted = request.write(move |tx, project| {
        let flow = |since| {
            records_in_feed::delete::<MilestoneContent, _>(tx, project.id, id, since, actor, now)
        };
        Ok(condition.check_in(flow)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn milestone_json(
    request: &ApiRequest,
    milestone: ProjectMilestone,
    project: &Project,
) -> MilestoneJson {
    MilestoneJson::new(milestone, project, request.now().date(), request.base_url())
}

fn milestone_id(request: &ApiRequest) -> Result<MilestoneId, ApiError> {
    let number = request.number(ID.name, MilestoneContent::NAME)?;
    Ok(MilestoneId::new(number))
}
