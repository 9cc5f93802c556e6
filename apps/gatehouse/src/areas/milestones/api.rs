//! `/api/v4/projects/:id/milestones`: the milestones of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::{MilestoneId, MilestoneIid};
use api_conventions::paging::Paging;
use api_conventions::params::Params;
use gatehouse_core::flows::records_in_feed;
use projects::wire::MilestoneJson;
use projects::{
    Milestone, MilestoneContent, MilestoneEdit, MilestoneFilter, MilestoneState, Project,
};
use records::{Content as _, EditFields as _, NewRecord};
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Answer, Deletion, Kind, Operation, Pages, Parameter, Unbuilt, delete, get, post, put,
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
    Kind::Word(MilestoneState::EVENTS),
    "Closes or reopens it.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let state = Kind::Word(MilestoneState::NAMES);
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
                Parameter::query(
                    "search_title",
                    Kind::ANY_TEXT,
                    "Only those whose title contains this text.",
                ),
                Parameter::query(
                    "updated_after",
                    Kind::Timestamp,
                    "Only those that changed at this time or later.",
                ),
                Parameter::query(
                    "updated_before",
                    Kind::Timestamp,
                    "Only those that last changed at this time or earlier.",
                ),
            ])
            .lacks([Unbuilt::Value("containing_date")])
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
        Ok((Milestone::list(tx, project.id, &filter, paging)?, project))
    });
    let (page, project) = found.await?;
    asked.page(paging, page, |milestone| shown(&asked, milestone, &project))
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

async fn show(asked: SeesProject<Read>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&asked)?;
    let found =
        asked.read(move |tx, project, _| Ok((Milestone::find(tx, project.id, id)?, project)));
    let (milestone, project) = found.await?;
    asked.json(&shown(&asked, milestone, &project))
}

async fn create(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let mut read = asked.params().reader();
    let edit = MilestoneEdit::read(&mut read, &[("state", None)]);
    read.demand(&[TITLE.name]);
    read.finish()?;
    let (actor, created_at) = (asked.actor(), asked.now());
    let made = asked.write(move |tx, project| {
        let content = edit.apply(MilestoneContent::default());
        let new = NewRecord::new(project.id, content, created_at);
        Ok(records_in_feed::create(tx, new, actor)?)
    });
    let (made, project) = made.await?;
    Ok(HttpResponse::Created().json(shown(&asked, made, &project)))
}

async fn update(asked: InProject<Reporter, Write>) -> Result<HttpResponse, Failure> {
    let id = milestone_id(&asked)?;
    let mut read = asked.params().reader();
    let edit = MilestoneEdit::read(&mut read, &[("state", Some(EVENT.name))]);
    read.finish()?;
    let by = (asked.actor(), asked.now());
    let changed = asked.write(move |tx, project| {
        let milestone = (project.id, id);
        Ok(records_in_feed::update::<MilestoneContent, _>(
            tx, milestone, &edit, by,
        )?)
    });
    let (milestone, project) = changed.await?;
    asked.json(&shown(&asked, milestone, &project))
}

async fn remove(request: InProject<Reporter, Write>) -> Result<Deletion, Failure> {
    let (id, condition) = (milestone_id(&request)?, request.precondition());
    let by = (request.actor(), request.now());
    let deleted = request.write(move |tx, project| {
        let milestone = (project.id, id);
        let flow = |since| records_in_feed::delete::<MilestoneContent, _>(tx, milestone, since, by);
        Ok(condition.check_in(flow)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

fn shown(asked: &ApiRequest, milestone: Milestone, project: &Project) -> MilestoneJson {
    MilestoneJson::new(milestone, project, asked.now().date(), asked.base_url())
}

fn milestone_id(asked: &ApiRequest) -> Result<MilestoneId, ApiError> {
    let number = asked.number(ID.name, MilestoneContent::NAME)?;
    Ok(MilestoneId::new(number))
}
