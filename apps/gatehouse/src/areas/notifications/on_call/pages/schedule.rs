//! Page of one on-call schedule: shifts, overrides and settings.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ApiError;
use api_conventions::ids::{ScheduleId, UserId};
use api_conventions::time::Timestamp;
use askama::Template;
use gatehouse_core::flows::on_call::{OnCallUsers, ScheduleWithOverrides, load_overrides};
use notifications::flow::find_schedule;
use notifications::model::{OnCallShift, ScheduleOverride, ScheduleSettings};

use super::super::input::USUAL_PERIOD;
use super::super::refusal;
use super::ScheduleViewers;
use super::form::{OverrideForm, ScheduleForm};
use super::list::{path_of, path_of_list};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::project::{Need, ProjectContext, ProjectPage};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Maintainer;

/// Largest number of shifts on the page.
const MAX_SHOWN: usize = 100;

/// Time as the clocks of a schedule show it.
#[derive(Debug, Clone)]
pub(super) struct ScheduleTime {
    /// Text, such as `Mon 30 Nov 2026, 09:00`.
    pub(super) text: String,
    /// Machine-readable time (RFC 3339).
    pub(super) machine: String,
}

impl ScheduleTime {
    /// Formats a time; `None` for [`Timestamp::MAX`].
    pub(super) fn of(at: Timestamp, settings: &ScheduleSettings) -> Option<Self> {
        let local = at.to_chrono().with_timezone(&settings.time_zone);
        (at < Timestamp::MAX).then(|| Self {
            text: local.format("%a %-d %b %Y, %H:%M").to_string(),
            machine: at.to_chrono().format("%Y-%m-%dT%H:%M:%SZ").to_string(),
        })
    }
}

/// Row of a shift or an override.
struct PeriodRow {
    /// Id of an override.
    id: String,
    user: String,
    from: Option<ScheduleTime>,
    until: Option<ScheduleTime>,
    is_override: bool,
    /// True for an override that does not count because its user is not available.
    is_ignored: bool,
    /// Author of an override.
    author: String,
}

/// Participant, in the order of turns.
struct ParticipantRow {
    name: String,
    is_available: bool,
}

#[derive(Template)]
#[template(path = "areas/notifications/on_call/schedule.html")]
struct SchedulePage {
    shell: Shell,
    list: String,
    path: String,
    name: DisplayName,
    time_zone: &'static str,
    /// Username of the user who is on call.
    on_call: Option<String>,
    until: Option<ScheduleTime>,
    next_handoff: Option<ScheduleTime>,
    participants: Vec<ParticipantRow>,
    shifts: Vec<PeriodRow>,
    overrides: Vec<PeriodRow>,
    override_form: OverrideForm,
    may_change: bool,
    form: ScheduleForm,
}

/// Forms of the page.
#[derive(Debug, Default)]
pub(super) struct RefusedForms {
    pub(super) settings: Option<ScheduleForm>,
    pub(super) of_override: OverrideForm,
}

/// Responds with the page.
pub(super) async fn show(page: ProjectPage<ScheduleViewers>) -> Result<HttpResponse, PageFailure> {
    respond(&page, StatusCode::OK, RefusedForms::default()).await
}

/// Responds with the page, and forms that were refused.
pub(super) async fn respond<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    forms: RefusedForms,
) -> Result<HttpResponse, PageFailure> {
    let (id, now) = (schedule_id(page)?, page.now());
    let read = page.read(move |tx, found| {
        let schedule = find_schedule(tx, found.project.id, id).map_err(refusal)?;
        Ok(load_overrides(tx, schedule, now, now)?)
    });
    let ((of, users), found) = read.await?;
    page.show_with(status, &view(page, &found, &of, &users, forms))
}

fn view<N: Need>(
    page: &ProjectPage<N>,
    found: &ProjectContext,
    of: &ScheduleWithOverrides,
    users: &OnCallUsers,
    forms: RefusedForms,
) -> SchedulePage {
    let (now, schedule) = (page.now(), &of.schedule);
    let settings = &schedule.settings;
    let name = DisplayName::of(&settings.name);
    let rota = users.rota(of);
    let shift = users.shift_at(of, now);
    let shifts = rota.list_shifts(now, now.plus_seconds(USUAL_PERIOD), MAX_SHOWN);
    let time = |at| ScheduleTime::of(at, settings);
    let participant = |id: &UserId| ParticipantRow {
        name: username(users, *id),
        is_available: users.is_available(*id),
    };
    SchedulePage {
        shell: page.shell(found, Section::Alerts, &name.isolated()),
        list: path_of_list(found),
        path: path_of(found, schedule),
        name,
        time_zone: settings.time_zone.name(),
        on_call: shift.map(|shift| username(users, shift.user_id)),
        until: shift.and_then(|shift| time(shift.until)),
        next_handoff: rota.next_handoff(now).and_then(time),
        participants: settings.participants.iter().map(participant).collect(),
        shifts: shifts
            .iter()
            .map(|shift| shift_row(shift, users, settings))
            .collect(),
        overrides: of
            .overrides
            .iter()
            .map(|it| override_row(it, users, settings))
            .collect(),
        override_form: forms.of_override,
        may_change: found.allows::<Maintainer>(),
        form: forms
            .settings
            .unwrap_or_else(|| ScheduleForm::of(schedule, users)),
    }
}

fn shift_row(shift: &OnCallShift, users: &OnCallUsers, settings: &ScheduleSettings) -> PeriodRow {
    PeriodRow {
        id: String::new(),
        user: username(users, shift.user_id),
        from: ScheduleTime::of(shift.from, settings),
        until: ScheduleTime::of(shift.until, settings),
        is_override: shift.is_override,
        is_ignored: false,
        author: String::new(),
    }
}

fn override_row(
    it: &ScheduleOverride,
    users: &OnCallUsers,
    settings: &ScheduleSettings,
) -> PeriodRow {
    let content = it.content;
    PeriodRow {
        id: it.id.to_string(),
        user: username(users, content.user_id),
        from: ScheduleTime::of(content.from, settings),
        until: ScheduleTime::of(content.until, settings),
        is_override: true,
        is_ignored: !users.is_available(content.user_id),
        author: username(users, content.created_by),
    }
}

fn username(users: &OnCallUsers, id: UserId) -> String {
    users.get(id).map_or_else(
        || "deleted user".to_owned(),
        |user| user.username.as_str().to_owned(),
    )
}

/// Returns the id of the schedule in the path.
pub(super) fn schedule_id<N: Need>(page: &ProjectPage<N>) -> Result<ScheduleId, PageFailure> {
    let segment = page.request().match_info().get("schedule");
    let id = segment.and_then(|segment| segment.parse().ok());
    let unknown = || ApiError::not_found("On-call Schedule").into();
    id.map(ScheduleId::new)
        .ok_or_else(|| page.sign_in_if_hidden(unknown()))
}
