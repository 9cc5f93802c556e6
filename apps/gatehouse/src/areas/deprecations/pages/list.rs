//! List of all deprecations by release, the latest removal first.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use deprecations::{Filter, Milestone, Record};

use super::record_row::{RecordRow, when};
use crate::areas::deprecations::feeds::{ATOM, CALENDAR};
use crate::areas::deprecations::filter::read_filter;
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::{ListQuery, Tab};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Records with the same removal.
struct RemovalGroup {
    anchor: String,
    title: String,
    /// Path of the release's page; `None` if the release has none.
    release: Option<String>,
    rows: Vec<RecordRow>,
}

#[derive(Template)]
#[template(path = "areas/deprecations/deprecation_list.html")]
struct ListPage {
    shell: Shell,
    edition: String,
    count: usize,
    tabs: Vec<Tab>,
    search: String,
    is_breaking: bool,
    is_rest: bool,
    is_narrowed: bool,
    clear: String,
    sections: Vec<RemovalGroup>,
    feed: &'static str,
    calendar: &'static str,
}

/// Responds with the list.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let query = ListQuery::of(&request)?;
    let filter = read_filter(query.params())?;
    let page = PageRequest::new(&request, &state, &visitor);
    let sections = sections(&state, &request, &filter);
    page.show(&ListPage {
        shell: page.shell(SiteArea::Deprecations, "Deprecations and removals"),
        edition: state.releases.of(&request).to_string(),
        count: sections.iter().map(|section| section.rows.len()).sum(),
        tabs: tabs(&query, &filter),
        search: filter.search.clone(),
        is_breaking: filter.breaking == Some(true),
        is_rest: filter.is_rest,
        is_narrowed: query.has_any(&["search", "breaking", "kind", "status"]),
        clear: query.with(&[
            ("search", ""),
            ("breaking", ""),
            ("kind", ""),
            ("status", ""),
        ]),
        sections,
        feed: ATOM,
        calendar: CALENDAR,
    })
}

fn tabs(query: &ListQuery, filter: &Filter) -> Vec<Tab> {
    let views = [("All", ""), ("REST API", "true")];
    let tab = |(name, value): (&'static str, &str)| Tab {
        name,
        href: query.with(&[("rest", value)]),
        count: String::new(),
        is_current: filter.is_rest != value.is_empty(),
    };
    views.map(tab).into()
}

fn sections(state: &AppState, request: &HttpRequest, filter: &Filter) -> Vec<RemovalGroup> {
    let (schedule, at) = (state.releases.schedule(), state.releases.of(request));
    let mut sections: Vec<(Option<Milestone>, RemovalGroup)> = Vec::new();
    let records = schedule.records().iter();
    for record in records.filter(|record| filter.shows(record, at)) {
        let removal = record.removal();
        let row = RecordRow::new(record, at);
        match sections.last_mut().filter(|(last, _)| *last == removal) {
            Some((_, section)) => section.rows.push(row),
            None => sections.push((removal, section(record, row))),
        }
    }
    sections.into_iter().map(|(_, section)| section).collect()
}

fn section(record: &Record, row: RecordRow) -> RemovalGroup {
    let release = match record.removal() {
        Some(Milestone::Release(release)) => Some(release),
        _ => None,
    };
    let removal = record.removal();
    let anchor = removal.map_or_else(|| "new".to_owned(), |removal| removal.to_string());
    RemovalGroup {
        anchor: format!("removal-{}", anchor.replace('.', "-")),
        title: removal.map_or_else(|| "New features".to_owned(), when),
        release: release.map(|release| format!("{}/releases/{release}", super::LIST)),
        rows: vec![row],
    }
}
