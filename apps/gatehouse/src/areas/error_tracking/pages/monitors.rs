//! Monitors of scheduled jobs, and the form that deletes one.

use actix_web::HttpResponse;
use api_conventions::error::ApiError;
use api_conventions::ids::MonitorId;
use api_conventions::time::Timestamp;
use askama::Template;
use error_tracking::monitors::{JobSchedule, Monitor, MonitorConfig, MonitorOutcome, MonitorState};
use gatehouse_core::flows::monitors::delete as delete_monitor;
use web_conventions::failure::Failure;

use super::super::monitors::RESOURCE;
use crate::frame::intake_urls::collector_url;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::DisplayTime;
use crate::frame::page::notice::Notice;
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{ProjectContext, ProjectForm, ProjectPage, RoleOrNotFound};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::{Maintainer, Reporter};

/// Row of a monitor.
struct MonitorEntry {
    id: MonitorId,
    name: DisplayName,
    environment: DisplayName,
    state: Pill,
    schedule: String,
    last: Option<DisplayTime>,
    next: Option<DisplayTime>,
}

#[derive(Template)]
#[template(path = "areas/error_tracking/monitors.html")]
struct MonitorListPage {
    shell: Shell,
    list: String,
    action: String,
    rows: Vec<MonitorEntry>,
    /// Command that checks in, with placeholders for the name and the key.
    command: String,
    may_delete: bool,
}

/// Responds with the list.
pub(super) async fn show(
    page: ProjectPage<RoleOrNotFound<Reporter>>,
) -> Result<HttpResponse, PageFailure> {
    let read = page.read(|tx, found| Ok(tx.list_monitors(found.project.id)?));
    let (monitors, found) = read.await?;
    let now = page.now();
    let rows = monitors.iter().map(|monitor| row(monitor, now));
    page.show(&MonitorListPage {
        shell: page.shell(&found, Section::Errors, "Monitors"),
        list: format!("{}/-/error_tracking", found.path()),
        action: path_of(&found),
        rows: rows.collect(),
        command: command(&found, &page.state().base_url),
        may_delete: found.allows::<Maintainer>(),
    })
}

/// Deletes a monitor, and redirects back to the list.
pub(super) async fn delete(
    form: ProjectForm<RoleOrNotFound<Maintainer>>,
) -> Result<HttpResponse, PageFailure> {
    let id = form.form.text("monitor").parse().map(MonitorId::new);
    let id = id.map_err(|_| PageFailure::bad_request("Choose the monitor to delete."))?;
    let (feed, now) = (form.state().alert_feed(), form.now());
    let deleted = form.write(move |tx, found| {
        let monitor = delete_monitor(tx, (found.project.id, id), &feed, now)?;
        monitor.ok_or_else(|| Failure::from(ApiError::not_found(RESOURCE)))
    });
    let (deleted, found) = deleted.await?;
    deleted.map_err(|failure| form.sign_in_if_hidden(failure.into()))?;
    Ok(form.redirect_with_notice(&path_of(&found), Notice::MonitorDeleted))
}

/// Path of the list, below the root of the server.
pub(super) fn path_of(found: &ProjectContext) -> String {
    format!("{}/-/error_tracking/monitors", found.path())
}

/// Returns the command that checks in without an SDK.
fn command(found: &ProjectContext, base_url: &str) -> String {
    let collector = collector_url(base_url);
    format!(
        "curl \"{collector}/api/{}/cron/NAME/KEY/?status=ok\"",
        found.project.id
    )
}

fn row(monitor: &Monitor, now: Timestamp) -> MonitorEntry {
    let state = &monitor.state;
    MonitorEntry {
        id: monitor.id,
        name: DisplayName::of(&monitor.key.slug),
        environment: DisplayName::of(&monitor.key.environment),
        state: pill(state),
        schedule: state.config.as_ref().map(schedule).unwrap_or_default(),
        last: state.last_check_in_at.map(|at| DisplayTime::at(at, now)),
        next: state.expected.map(|slot| DisplayTime::at(slot.at, now)),
    }
}

fn pill(state: &MonitorState) -> Pill {
    match state.outcome {
        Some(MonitorOutcome::Failed) => Pill::FAILED,
        Some(MonitorOutcome::Missed) => Pill::MISSING,
        Some(MonitorOutcome::TimedOut) => Pill::TIMED_OUT,
        _ if state.is_running() => Pill::RUNNING,
        Some(MonitorOutcome::Ok) => Pill::ALIVE,
        None => Pill::NEW,
    }
}

/// Describes a schedule: the pattern with its zone, or the interval.
fn schedule(config: &MonitorConfig) -> String {
    match &config.schedule {
        JobSchedule::Crontab { value } => format!("{} {}", value.as_str(), config.timezone),
        JobSchedule::Interval { value: 1, unit } => format!("every {}", unit.as_str()),
        JobSchedule::Interval { value, unit } => format!("every {value} {}s", unit.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use error_tracking::monitors::IntervalUnit;

    #[test]
    fn schedules_are_described() {
        let described =
            |schedule: Option<JobSchedule>| super::schedule(&MonitorConfig::new(schedule.unwrap()));
        assert_eq!(
            described(JobSchedule::crontab("5 4 * * *")),
            "5 4 * * * UTC"
        );
        let interval = |value| described(JobSchedule::interval(value, IntervalUnit::Hour));
        assert_eq!([interval(1), interval(2)], ["every hour", "every 2 hours"]);
    }
}
