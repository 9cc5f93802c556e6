//! `/api/v4/projects/:id/error_tracking/monitors`: scheduled jobs that check in with each run.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::MonitorId;
use error_tracking::wire::MonitorJson;
use gatehouse_core::flows::monitors::delete as delete_monitor;
use web_conventions::failure::Failure;
use web_conventions::operations::{
    Deletion, Operation, Parameter, ParameterKind, ResponseSpec, delete, get,
};

use super::TAG;
use crate::frame::project::{InProject, PROJECT};
use crate::frame::scopes::{Maintainer, ReadApi, Reporter, WriteApi};

const MONITORS: &str = "/api/v4/projects/{id}/error_tracking/monitors";
const MONITOR: &str = "/api/v4/projects/{id}/error_tracking/monitors/{monitor_id}";

/// Resource name in "not found" responses.
pub(super) const RESOURCE: &str = "Monitor";
const MONITOR_ID: Parameter =
    Parameter::path("monitor_id", ParameterKind::ID, "The id of the monitor.");

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("listMonitors", MONITORS, list)
            .documented(TAG, "List the monitors of scheduled jobs")
            .takes([PROJECT])
            .response(ResponseSpec::json::<Vec<MonitorJson>>(
                200,
                "The monitors, at most 100, ordered by slug.",
            )),
        delete("deleteMonitor", MONITOR, remove)
            .documented(
                TAG,
                "Delete a monitor and resolve its alert; its next check-in creates it anew",
            )
            .takes([PROJECT, MONITOR_ID])
            .response(ResponseSpec::empty(204, "Deleted.")),
    ]
}

async fn list(request: InProject<Reporter, ReadApi>) -> Result<HttpResponse, Failure> {
    let found = request.read(|tx, project| Ok(tx.list_monitors(project.id)?));
    let (monitors, _) = found.await?;
    let monitors: Vec<MonitorJson> = monitors.into_iter().map(Into::into).collect();
    request.json(&monitors)
}

async fn remove(request: InProject<Maintainer, WriteApi>) -> Result<Deletion, Failure> {
    let id = request
        .number(MONITOR_ID.name, RESOURCE)
        .map(MonitorId::new)?;
    let (feed, now) = (request.alert_feed(), request.now());
    let condition = request.precondition();
    let deleted = request.write(move |tx, project| {
        let monitor = delete_monitor(tx, (project.id, id), &feed, now)?;
        let monitor = monitor.ok_or_else(|| ApiError::not_found(RESOURCE))?;
        Ok(condition.check(monitor.state.last_check_in_at.unwrap_or(now))?)
    });
    Ok(Deletion::no_content(deleted.await?.0))
}
