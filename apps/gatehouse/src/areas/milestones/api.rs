//! `/api/v4/projects/:id/milestones`: the milestones of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{MilestoneId, MilestoneIid};
use api_conventions::paging::Paging;
use api_conventions::params::{ParamReader, Params};
use gatehouse_core::flows::milestones::{create_milestone, delete_milestone, update_milestone};
use projects::flow::milestones::MilestoneError;
use projects::wire::MilestoneJson;
use projects::{
    Milestone, MilestoneContent, MilestoneEdit, MilestoneFilter, MilestoneState, NewMilestone,
    Project,
};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Kind, Operation, Pages, Parameter, delete, get, post, put,
};

use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT, SeesProject};
use crate::frame::scopes::{Read, Reporter, Write};

const MILESTONES: &str = "/api/v4/projects/{id}/milestones";
const MILESTONE: &str = "/api/v4/projects/{id}/milestones/{milestone_id}";

const TAG: &str = "milestones";
const ID: Parameter = Parameter::path("milestone_id", Kind::ID, "The id of the milestone.");
const TITLE: Parameter = Parameter::body("title", Kind::Text { min: 1, max: 255 }, "The title.");
const DESCRIPTION: Parameter = Parameter::body(
    "description",
    Kind::ANY_TEXT,
    "What it is for. Nothing takes it away.",
);
const START: Parameter = Parameter::body("start_date", Kind::Date, "The first day.");
const DUE: Parameter = Parameter::body("due_date", Kind::Date, "The last day.");
const EVENT: Parameter = Parameter::body(
    "state_event",
    Kind::Word(&MilestoneState::EVENTS),
    "Closes or reopens it.",
);

/// The operations.
pub fn operations() -> Vec<Operation> {
    let state = Kind::Word(&MilestoneState::NAMES);
    vec![
        get("listMilestones", MILESTONES, list)
            .documented(TAG, "List the milestones of a project")
            .takes([
                PROJECT,
                Parameter::query("iids", Kind::Numbers, "Only those with these numbers."),
                Parameter::query("state", state, "Only those of this state."),
                Parameter::query("title", Kind::ANY_TEXT, "Only the one with this title."),
                Parameter::query(
                    "search",
                    Kind::ANY_TEXT,
                    "Only those that contain this text.",
                ),
            ])
            .paged(Pages::Offset)
            .answers(Answer::json::<Vec<MilestoneJson>>(
                200,
                "A page, the newest first.",
            )),
        post("createMilestone", MILESTONES, create)
            .documented(TAG, "Make a milestone")
            .takes([PROJECT, TITLE.required(), DESCRIPTION, START, DUE])
            .answers(Answer::json::<MilestoneJson>(201, "The milestone.")),
        get("showMilestone", MILESTONE, show)
            .documented(TAG, "Show a milestone")
            .takes([PROJECT, ID])
            .answers(Answer::json::<MilestoneJson>(200, "The milestone.")),
        put("updateMilestone", MILESTONE, update)
            .documented(TAG, "Change a milestone")
            .takes([PROJECT, ID, TITLE, DESCRIPTION, START, DUE, EVENT])
            .answers(Answer::json::<MilestoneJson>(
                200,
                "The milestone as it is now.",
            )),
        delete("deleteMilestone", MILESTONE, remove)
            .documented(TAG, "Delete a milestone")
            .takes([PROJECT, ID])
            .answers(Answer::empty(204, "It is gone.")),
    ]
}

async fn list(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let filter = read_filter(asked.params())?;
    let paging = Paging::offset(asked.params())?;
    let found = asked.read(move |tx, project, _| {
        Ok((tx.list_milestones(project.id, &filter, paging)?, project))
    });
    let (page, project) = found.await?;
    asked.page(paging, page, |milestone| shown(&asked, milestone, &project))
}

fn read_filter(params: &Params) -> Result<MilestoneFilter, ApiError> {
    let mut read = params.reader();
    let filter = MilestoneFilter {
        iids: read.words("iids", |text| text.parse().ok().map(MilestoneIid::new)),
        state: read.word("state", MilestoneState::parse),
        title: read.text("title").filter(|text| !text.is_empty()),
        search: read.text("search").filter(|text| !text.is_empty()),
    };
    read.finish()?;
    Ok(filter)
}

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&asked)?;
    let found = asked.read(move |tx, project, _| Ok((tx.find_milestone(project.id, id)?, project)));
    let (milestone, project) = found.await?;
    let milestone = milestone.ok_or_else(|| ApiError::not_found("Milestone"))?;
    asked.json(&shown(&asked, milestone, &project))
}

async fn create(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edits = read_edits(asked.params(), &mut read);
    let title = read.text(TITLE.name);
    // The title is among the edits. Here it is only demanded.
    let title = read.required(TITLE.name, title);
    read.finish()?;
    title.value()?;
    let content = MilestoneContent::default().edited(&edits);
    let (actor, created_at) = (asked.actor(), asked.now());
    let made = asked.write(move |tx, project| {
        let (project_id, content) = (project.id, content.clone());
        let new = NewMilestone {
            project_id,
            content,
            created_at,
        };
        create_milestone(tx, &new, actor).map_err(refused)
    });
    let (made, project) = made.await?;
    Ok(HttpResponse::Created().json(shown(&asked, made, &project)))
}

async fn update(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&asked)?;
    let mut read = asked.params().reader();
    let mut edits = read_edits(asked.params(), &mut read);
    edits.extend(
        read.word(EVENT.name, MilestoneState::after)
            .map(MilestoneEdit::State),
    );
    read.finish()?;
    let by = (asked.actor(), asked.now());
    let changed = asked.write(move |tx, project| {
        update_milestone(tx, (project.id, id), &edits, by).map_err(refused)
    });
    let (milestone, project) = changed.await?;
    asked.json(&shown(&asked, milestone, &project))
}

async fn remove(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&asked)?;
    let by = (asked.actor(), asked.now());
    let deleted =
        asked.write(move |tx, project| delete_milestone(tx, project.id, id, by).map_err(refused));
    deleted.await?;
    Ok(HttpResponse::NoContent().finish())
}

/// What is to be written anew. An empty value and `null` take away what can be absent.
fn read_edits(params: &Params, read: &mut ParamReader<'_>) -> Vec<MilestoneEdit> {
    let is_given = |parameter: &Parameter| params.get(parameter.name).is_some();
    let description = read.text(DESCRIPTION.name).filter(|text| !text.is_empty());
    [
        read.text(TITLE.name).map(MilestoneEdit::Title),
        is_given(&DESCRIPTION).then_some(MilestoneEdit::Description(description)),
        is_given(&START).then_some(MilestoneEdit::StartDate(read.date(START.name))),
        is_given(&DUE).then_some(MilestoneEdit::DueDate(read.date(DUE.name))),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn shown(asked: &ApiRequest, milestone: Milestone, project: &Project) -> MilestoneJson {
    MilestoneJson::new(milestone, project, asked.now().date(), asked.base_url())
}

fn refused(error: MilestoneError) -> Failure {
    match error {
        MilestoneError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

fn milestone_id(asked: &ApiRequest) -> Result<MilestoneId, ApiError> {
    asked.number(ID.name, "Milestone").map(MilestoneId::new)
}
