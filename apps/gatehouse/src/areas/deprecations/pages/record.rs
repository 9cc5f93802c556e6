//! Page of one record: what is deprecated, when it is removed, and how to migrate.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use deprecations::{Enforcement, Life, Milestone, Record, Site, Touch};

use super::record_row::{TitlePiece, day, pieces, when};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::pill::Pill;
use crate::frame::page::prose::{Prose, Text, render_alone};
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

#[derive(Template)]
#[template(path = "areas/deprecations/deprecation.html")]
struct RecordPage {
    shell: Shell,
    title: Vec<TitlePiece>,
    status: Pill,
    breaking: Option<Pill>,
    body: Prose,
    replacement: Vec<TitlePiece>,
    touches: Vec<(String, String)>,
    facts: Vec<(&'static str, String)>,
    server: String,
    release: Option<String>,
    list: &'static str,
}

/// Responds with the page of the record.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let id = request.match_info().get("id").unwrap_or_default();
    let record = state.releases.schedule().find(id);
    let record = record.ok_or_else(PageFailure::not_found)?;
    let page = PageRequest::new(&request, &state, &visitor);
    let at = state.releases.of(&request);
    let text = Text {
        id_prefix: "body-".to_owned(),
        text: record.body.clone(),
    };
    page.show(&RecordPage {
        shell: page.shell(SiteArea::Deprecations, record.title.replace('`', "")),
        title: pieces(&record.title),
        status: record.status(at).into(),
        breaking: record.breaking.then_some(Pill::BREAKING),
        body: render_alone(&state.base_url, text).await?,
        replacement: record
            .replacement
            .as_deref()
            .map(pieces)
            .unwrap_or_default(),
        touches: record.touches.iter().map(touched).collect(),
        facts: facts(record),
        server: server(record),
        release: release(record),
        list: super::LIST,
    })
}

fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let on = |release, date: Option<String>| match date {
        Some(date) => format!("{release}, {date}"),
        None => format!("{release}"),
    };
    let since = on(record.announced(), record.announced_on().map(day));
    let mut facts = match record.life {
        Life::Introduced(_) => vec![("New in", since)],
        Life::Deprecated {
            end_of_support,
            removal,
            ..
        } => {
            let mut facts = vec![("Announced in", since)];
            facts.extend(end_of_support.map(|end| ("Support ends in", end.to_string())));
            facts.push(("Removed", when(removal)));
            facts
        }
    };
    facts.push(("Area", record.area.clone()));
    facts.push(("Kind", record.kind.as_str().to_owned()));
    facts
}

/// Returns a sentence about how this server implements the record.
fn server(record: &Record) -> String {
    match &record.enforcement {
        Enforcement::Enforced => "This server implements this change in every release.".to_owned(),
        Enforcement::Announced(reason) => reason.clone(),
    }
}

/// Returns the path of the release in which it is removed or introduced.
fn release(record: &Record) -> Option<String> {
    let release = match record.life {
        Life::Deprecated {
            removal: Milestone::Release(release),
            ..
        }
        | Life::Introduced(release) => release,
        Life::Deprecated { .. } => return None,
    };
    Some(format!("{}/releases/{release}", super::LIST))
}

/// Returns the place that a change affects, and the affected part.
fn touched(touch: &Touch) -> (String, String) {
    let of = |value: &Option<serde_json::Value>| match value {
        Some(value) => format!(" with the value {value}"),
        None => String::new(),
    };
    match &touch.site {
        Site::Operation(endpoint) => (endpoint.to_string(), "the whole operation".to_owned()),
        Site::Parameter {
            endpoint,
            name,
            value,
        } => (
            endpoint.to_string(),
            format!("parameter {name}{}", of(value)),
        ),
        Site::Field {
            endpoint,
            path,
            value,
        } => (
            endpoint.to_string(),
            format!("field {}{}", path.join("."), of(value)),
        ),
        Site::Graphql(name) => ("GraphQL".to_owned(), name.clone()),
        Site::Pages(pages) => ("Pages of a project".to_owned(), pages.join(", ")),
        Site::Behaviour(name) => ("Behaviour".to_owned(), name.clone()),
    }
}
