//! On-call schedules of a project, with the users who are on call.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::on_call::{OnCallUsers, ScheduleWithOverrides, load_schedules};
use notifications::flow::MAX_SCHEDULES;
use notifications::model::OnCallSchedule;

use super::ScheduleViewers;
use super::form::ScheduleForm;
use super::schedule::ScheduleTime;
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::project::{Need, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Row of a schedule.
struct ScheduleListRow {
    name: DisplayName,
    path: String,
    /// Username of the user who is on call.
    on_call: Option<String>,
    /// End of the shift; `None` if nobody is on call, and if the shift lasts longer than two turns can.
    until: Option<ScheduleTime>,
    participants: usize,
}

#[derive(Template)]
#[template(path = "areas/notifications/on_call/schedule_list.html")]
struct ScheduleListPage {
    shell: Shell,
    alerts: String,
    /// Path of the page, below the root of the server.
    path: String,
    rows: Vec<ScheduleListRow>,
    may_create: bool,
    form: ScheduleForm,
}

/// Responds with the list.
pub(super) async fn show(page: ProjectPage<ScheduleViewers>) -> Result<HttpResponse, PageFailure> {
    let form = ScheduleForm::new(page.now().date());
    respond(&page, StatusCode::OK, form).await
}

/// Responds with the list and a form.
pub(super) async fn respond<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    form: ScheduleForm,
) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let read = page.read(move |tx, found| Ok(load_schedules(tx, found.project.id, now)?));
    let ((schedules, users), found) = read.await?;
    let row = |of: &ScheduleWithOverrides| row_of(&found, of, &users, now);
    let shown = ScheduleListPage {
        shell: page.shell(&found, Section::Alerts, "On-call schedules"),
        alerts: format!("{}/-/alert_management", found.path()),
        path: path_of_list(&found),
        rows: schedules.iter().map(row).collect(),
        may_create: schedules.len() < MAX_SCHEDULES && found.allows::<Maintainer>(),
        form,
    };
    page.show_with(status, &shown)
}

fn row_of(
    found: &ProjectContext,
    of: &ScheduleWithOverrides,
    users: &OnCallUsers,
    now: Timestamp,
) -> ScheduleListRow {
    let settings = &of.schedule.settings;
    let shift = users.shift_at(of, now);
    let user = shift.and_then(|shift| users.get(shift.user_id));
    ScheduleListRow {
        name: DisplayName::of(&settings.name),
        path: path_of(found, &of.schedule),
        on_call: user.map(|user| user.username.as_str().to_owned()),
        until: shift.and_then(|shift| ScheduleTime::of(shift.until, settings)),
        participants: settings.participants.len(),
    }
}

/// Returns the path of the list, below the root of the server.
pub(super) fn path_of_list(found: &ProjectContext) -> String {
    format!("{}/-/alert_management/on_call", found.path())
}

/// Returns the path of the page of a schedule, below the root of the server.
pub(super) fn path_of(found: &ProjectContext, schedule: &OnCallSchedule) -> String {
    format!("{}/{}", path_of_list(found), schedule.id)
}
