//! `/api/v4/projects/:id/on_call_schedules/:schedule_id/overrides`: the overrides of an on-call schedule.

use actix_web::HttpResponse;
use api_conventions::ids::OverrideId;
use api_conventions::page::Page;
use api_conventions::paging::Paging;
use gatehouse_core::flows::on_call::{create_override, delete_override, load_overrides};
use notifications::flow::find_schedule;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Pages, Parameter, ParameterKind, ResponseSpec, delete, get, post,
};

use super::super::api::TAG;
use super::api::{ID, schedule_id};
use super::input::{FROM, UNTIL, USER, read_override};
use super::json::OverrideJson;
use super::refusal;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Developer, ReadApi, WriteApi};

const ALL: &str = "/api/v4/projects/{id}/on_call_schedules/{schedule_id}/overrides";
const ONE: &str = "/api/v4/projects/{id}/on_call_schedules/{schedule_id}/overrides/{override_id}";

const OVERRIDE: Parameter =
    Parameter::path("override_id", ParameterKind::ID, "ID of the override.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listOnCallOverrides", ALL, list)
            .documented(TAG, "List the overrides of an on-call schedule")
            .takes([PROJECT, ID])
            .paged(Pages::Offset)
            .response(ResponseSpec::json::<Vec<OverrideJson>>(
                200,
                "A page of overrides that are not over, the newest first.",
            )),
        post("createOnCallOverride", ALL, create)
            .documented(TAG, "Create an override of an on-call schedule")
            .takes([PROJECT, ID, USER.required(), FROM, UNTIL.required()])
            .response(ResponseSpec::json::<OverrideJson>(201, "The override.")),
        delete("deleteOnCallOverride", ONE, remove)
            .documented(TAG, "Delete an override of an on-call schedule")
            .takes([PROJECT, ID, OVERRIDE])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

async fn list(request: InProject<Developer, ReadApi>) -> Result<HttpResponse, Failure> {
    let (paging, id) = (Paging::offset(request.params())?, schedule_id(&request)?);
    let now = request.now();
    let found = request.read(move |tx, project| {
        let found = find_schedule(tx, project.id, id).map_err(refusal)?;
        Ok(load_overrides(tx, found, now, now)?)
    });
    let ((of, users), _) = found.await?;
    // A schedule has at most 200 such overrides, so a page is a part of the whole list.
    let page = Page::of_all(of.overrides, paging);
    let base_url = request.base_url();
    request.page(paging, page, |it| OverrideJson::new(&it, &users, base_url))
}

async fn create(request: InProject<Developer, WriteApi>) -> Result<HttpResponse, Failure> {
    let (id, by) = (schedule_id(&request)?, request.actor());
    let values = read_override(request.params(), by.now)?;
    let created = request.write(move |tx, project| {
        let created = create_override(tx, (project.id, id), values, by).map_err(refusal)?;
        let schedule = find_schedule(tx, project.id, id).map_err(refusal)?;
        let (_, users) = load_overrides(tx, schedule, by.now, by.now)?;
        Ok((created, users))
    });
    let ((created, users), _) = created.await?;
    let json = OverrideJson::new(&created, &users, request.base_url());
    Ok(HttpResponse::Created().json(json))
}

async fn remove(request: InProject<Developer, WriteApi>) -> Result<Deletion, Failure> {
    let id = schedule_id(&request)?;
    let of_it = OverrideId::new(request.number(OVERRIDE.name, "Override")?);
    let (by, condition) = (request.actor(), request.precondition());
    let deleted = request.write(move |tx, project| {
        let deleted = delete_override(tx, (project.id, id), of_it, by).map_err(refusal)?;
        Ok(condition.check(deleted.content.created_at)?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}
