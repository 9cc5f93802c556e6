//! `/api/v4/projects/:id/on_call_schedules`: the on-call schedules of a project.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::ScheduleId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use gatehouse_core::flows::on_call::{
    create_schedule, delete_schedule, load_overrides, load_schedules, update_schedule,
};
use notifications::flow::find_schedule;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post, put,
};

use super::super::api::TAG;
use super::input::{
    FIELDS, FIRST_HANDOFF, HANDOFF_TIME, NAME, PARTICIPANTS, SHIFTS_FROM, SHIFTS_UNTIL, TIME_ZONE,
    TURN_WEEKS, read_new, read_period, read_update,
};
use super::json::{ScheduleJson, ShiftJson};
use super::{LoadedSchedule, refusal};
use crate::frame::api::ApiRequest;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, Maintainer, ReadApi, WriteApi};

const ALL: &str = "/api/v4/projects/{id}/on_call_schedules";
const ONE: &str = "/api/v4/projects/{id}/on_call_schedules/{schedule_id}";
const SHIFTS: &str = "/api/v4/projects/{id}/on_call_schedules/{schedule_id}/shifts";

/// Largest number of shifts of a list.
pub(super) const MAX_SHIFTS: usize = 500;

const RESOURCE: &str = "On-call Schedule";

pub(super) const ID: Parameter = Parameter::path(
    "schedule_id",
    ParameterKind::ID,
    "ID of the on-call schedule.",
);

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    let schedule = |status, text| ResponseSpec::json::<ScheduleJson>(status, text);
    let taken = || ResponseSpec::refusal(409, "Another schedule of the project has the name.");
    vec![
        get("listOnCallSchedules", ALL, list)
            .documented(TAG, "List the on-call schedules of a project")
            .takes([PROJECT])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<ScheduleJson>>(
                200,
                "A page of schedules, in the order of their creation.",
            )),
        post("createOnCallSchedule", ALL, create)
            .documented(TAG, "Create an on-call schedule")
            .takes([
                PROJECT,
                NAME.required(),
                TIME_ZONE.required(),
                FIRST_HANDOFF.required(),
                HANDOFF_TIME.required(),
                TURN_WEEKS,
                PARTICIPANTS.required(),
            ])
            .response(schedule(201, "The schedule."))
            .response(taken()),
        get("showOnCallSchedule", ONE, show)
            .documented(TAG, "Get an on-call schedule")
            .takes([PROJECT, ID])
            .response(schedule(200, "The schedule, with the user who is on call.")),
        put("updateOnCallSchedule", ONE, update)
            .documented(TAG, "Update an on-call schedule")
            .takes([PROJECT, ID])
            .takes(FIELDS)
            .response(schedule(200, "The updated schedule."))
            .response(taken()),
        delete("deleteOnCallSchedule", ONE, remove)
            .documented(TAG, "Delete an on-call schedule")
            .takes([PROJECT, ID])
            .response(ResponseSpec::empty(204, "Deleted, with its overrides.")),
        get("listOnCallShifts", SHIFTS, shifts)
            .documented(TAG, "List the shifts of an on-call schedule")
            .takes([PROJECT, ID, SHIFTS_FROM, SHIFTS_UNTIL])
            .response(ResponseSpec::json::<Vec<ShiftJson>>(
                200,
                "The shifts of a period, at most 500, the earliest first, and the first and the last one cut to the period.",
            )),
    ]
}

async fn list(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (paging, now) = (Paging::offset(request.params())?, request.now());
    let found = request.read(move |tx, project| Ok(load_schedules(tx, project.id, now)?));
    let ((schedules, users), _) = found.await?;
    // A project has at most 20 schedules, so a page is a part of the whole list.
    let page = Page::of_all(schedules, paging);
    let base_url = request.base_url();
    request.page(paging, page, |of| {
        ScheduleJson::new(&of, &users, now, base_url)
    })
}

async fn create(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (settings, by) = (read_new(request.params())?, request.actor());
    let created = request.write(move |tx, project| {
        let created = create_schedule(tx, project.id, settings.clone(), by).map_err(refusal)?;
        Ok(load_overrides(tx, created, by.now, by.now)?)
    });
    let (loaded, _) = created.await?;
    Ok(HttpResponse::Created().json(json(&request, &loaded)))
}

async fn show(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, now) = (schedule_id(&request)?, request.now());
    let found = request.read(move |tx, project| {
        let found = find_schedule(tx, project.id, id).map_err(refusal)?;
        Ok(load_overrides(tx, found, now, now)?)
    });
    let (loaded, _) = found.await?;
    request.json(&json(&request, &loaded))
}

async fn update(request: InProject<Maintainer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, input) = (schedule_id(&request)?, read_update(request.params())?);
    let by = request.actor();
    let updated = request.write(move |tx, project| {
        let place = (project.id, id);
        let updated = update_schedule(tx, place, &input, by).map_err(refusal)?;
        Ok(load_overrides(tx, updated, by.now, by.now)?)
    });
    let (loaded, _) = updated.await?;
    request.json(&json(&request, &loaded))
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let (id, condition) = (schedule_id(&request)?, request.precondition());
    let by = request.actor();
    let deleted = request.write(move |tx, project| {
        let schedule = delete_schedule(tx, (project.id, id), by).map_err(refusal)?;
        Ok(condition.check(schedule.updated_at)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}

async fn shifts(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (id, now) = (schedule_id(&request)?, request.now());
    let (from, until) = read_period(request.params(), now)?;
    let found = request.read(move |tx, project| {
        let found = find_schedule(tx, project.id, id).map_err(refusal)?;
        Ok(load_overrides(tx, found, from, now)?)
    });
    let ((of, users), _) = found.await?;
    let shifts = users.rota(&of).list_shifts(from, until, MAX_SHIFTS);
    let json = |shift| ShiftJson::new(shift, &users, request.base_url());
    request.json(&shifts.into_iter().map(json).collect::<Vec<_>>())
}

fn json(request: &ApiRequest, (of, users): &LoadedSchedule) -> ScheduleJson {
    ScheduleJson::new(of, users, request.now(), request.base_url())
}

/// Returns the id of the schedule in the path.
pub(super) fn schedule_id(request: &ApiRequest) -> Result<ScheduleId, ApiError> {
    Ok(ScheduleId::new(request.number(ID.name, RESOURCE)?))
}
