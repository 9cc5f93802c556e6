//! Page of one milestone.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use api_conventions::error::ValidationFailures;
use api_conventions::ids::MilestoneIid;
use askama::Template;
use projects::{MilestoneState, ProjectMilestone};

use super::list::{day, days, is_late};
use super::{find, path_of};
use crate::frame::page::display_name::DisplayName;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::format::{DisplayTime, sentences};
use crate::frame::page::pill::Pill;
use crate::frame::page::project::{CanView, Need, ProjectContext, ProjectPage};
use crate::frame::page::prose::{Prose, Text, render};
use crate::frame::page::shell::Shell;
use crate::frame::page::side::Section;
use crate::frame::scopes::Reporter;

#[derive(Template)]
#[template(path = "areas/milestones/milestone.html")]
struct MilestonePage {
    shell: Shell,
    list: String,
    path: String,
    may_change: bool,
    is_open: bool,
    title: DisplayName,
    whole_title: String,
    description: Prose,
    api: String,
    state: Pill,
    days: String,
    is_late: bool,
    start: String,
    due: String,
    created: DisplayTime,
    changed: DisplayTime,
    confirm: String,
    wrong: Vec<String>,
}

/// Responds with the page of a milestone.
pub(super) async fn show(page: ProjectPage<CanView>) -> Result<HttpResponse, PageFailure> {
    let iid = MilestoneIid::new(page.number("iid")?);
    let (milestone, found) = page.read(move |tx, found| find(tx, found, iid)).await?;
    let nothing = ValidationFailures::default();
    answer(&page, StatusCode::OK, &found, milestone, "", &nothing).await
}

/// Responds with the page and the errors of its form.
pub(super) async fn answer<N: Need>(
    page: &ProjectPage<N>,
    status: StatusCode,
    found: &ProjectContext,
    milestone: ProjectMilestone,
    confirm: &str,
    failures: &ValidationFailures,
) -> Result<HttpResponse, PageFailure> {
    let now = page.now();
    let text = Text {
        id_prefix: "description-".to_owned(),
        text: milestone.content.description.clone().unwrap_or_default(),
    };
    let description = render(page, vec![text]).await?.into_iter().next();
    let title = DisplayName::of(&milestone.content.title);
    let shown = MilestonePage {
        shell: page.shell(found, Section::Milestones, &title.isolated()),
        list: format!("{}/-/milestones", found.path()),
        path: path_of(found, &milestone),
        may_change: found.allows::<Reporter>(),
        is_open: milestone.content.state == MilestoneState::Active,
        title,
        state: milestone.content.state.into(),
        days: days(milestone.content.start_date, milestone.content.due_date),
        is_late: is_late(&milestone, now),
        start: milestone.content.start_date.map(day).unwrap_or_default(),
        due: milestone.content.due_date.map(day).unwrap_or_default(),
        created: DisplayTime::at(milestone.created_at, now),
        changed: DisplayTime::at(milestone.updated_at, now),
        whole_title: milestone.content.title,
        description: description.unwrap_or_default(),
        api: format!(
            "/api/v4/projects/{}/milestones/{}",
            found.project.id, milestone.id
        ),
        confirm: confirm.to_owned(),
        wrong: sentences("The title", failures.of("confirm")),
    };
    page.show_with(status, &shown)
}
