//! Page of one release: what it removes, announces and introduces.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use deprecations::{Edition, Record, calendar};

use super::record_row::{RecordRow, day};
use crate::areas::deprecations::api::parse_edition;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Records under one heading.
struct RecordGroup {
    anchor: &'static str,
    title: &'static str,
    nothing: &'static str,
    rows: Vec<RecordRow>,
}

#[derive(Template)]
#[template(path = "areas/deprecations/deprecations_of_release.html")]
struct ReleasePage {
    shell: Shell,
    release: String,
    day: String,
    parts: [RecordGroup; 4],
    before: Option<String>,
    after: Option<String>,
    list: &'static str,
    api: String,
}

/// Responds with the page of the release.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let name = request.match_info().get("release").unwrap_or_default();
    let at = parse_edition(name).ok_or_else(PageFailure::not_found)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let all = state.releases.schedule().releases();
    let beside = |found: Option<&api_conventions::release::Release>| found.map(ToString::to_string);
    page.show(&ReleasePage {
        shell: page.shell(SiteArea::Deprecations, format!("Release {at}")),
        release: at.to_string(),
        day: calendar::day_of(at.release).map(day).unwrap_or_default(),
        parts: parts(&state, at),
        before: beside(all.iter().rev().find(|other| **other < at.release)),
        after: beside(all.iter().find(|other| **other > at.release)),
        list: super::LIST,
        api: format!("/api/v4/deprecations/{at}"),
    })
}

fn parts(state: &AppState, at: Edition) -> [RecordGroup; 4] {
    let schedule = state.releases.schedule();
    let changes = schedule.changes_of(at);
    let part = |anchor, title, nothing, records: Vec<&Record>| RecordGroup {
        anchor,
        title,
        nothing,
        rows: records
            .into_iter()
            .map(|record| RecordRow::new(record, at))
            .collect(),
    };
    [
        part("removed", "Removed", "No removals.", changes.removed),
        part(
            "announced",
            "Announced",
            "No announcements.",
            changes.announced,
        ),
        part("introduced", "New", "No new features.", changes.introduced),
        part(
            "coming",
            "Pending removals",
            "No pending removals.",
            schedule.coming(at),
        ),
    ]
}
