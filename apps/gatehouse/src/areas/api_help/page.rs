//! `/help/api`: API reference pages, one per area.
//! They are rendered by the server and load nothing from other sites.

use std::collections::{BTreeMap, BTreeSet};

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use api_conventions::reference::decode_segment;
use askama::Template;
use serde_json::Value;

use super::DOCUMENT;
use super::operation::{OperationView, ResponseView, common_answers, common_parameters};
use super::shape::{SchemaField, Shape, mentioned, shapes, text};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::list::ListQuery;
use crate::frame::page::shell::{Shell, SiteArea};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// Path of the list of areas.
const PATH: &str = "/help/api";

/// Area of the product in the list.
struct AreaLink {
    name: String,
    href: String,
    operations: usize,
}

/// Operation found by a search.
struct Hit {
    href: String,
    method: String,
    path: String,
    summary: String,
}

#[derive(Template)]
#[template(path = "areas/api_help/api_help.html")]
struct ApiIndexPage {
    shell: Shell,
    areas: Vec<AreaLink>,
    search: String,
    hits: Vec<Hit>,
    parameters: Vec<SchemaField>,
    answers: Vec<ResponseView>,
}

#[derive(Template)]
#[template(path = "areas/api_help/api_area.html")]
struct AreaPage {
    shell: Shell,
    base_url: String,
    name: String,
    operations: Vec<OperationView>,
    shapes: Vec<Shape>,
}

/// Responds with the areas, or with the operations that match a search.
pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let search = ListQuery::of(&request)?.text("search").trim().to_owned();
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&ApiIndexPage {
        shell: page.shell(SiteArea::Focused, "API"),
        areas: areas(&DOCUMENT)
            .into_iter()
            .map(|(name, operations)| AreaLink {
                href: path_of(&name),
                operations: operations.len(),
                name,
            })
            .collect(),
        hits: hits(&DOCUMENT, &search),
        search,
        parameters: common_parameters(&DOCUMENT),
        answers: common_answers(&DOCUMENT),
    })
}

/// Responds with the operations of an area and the shapes they use.
pub(super) async fn show_area(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let named = request.match_info().get("area").and_then(decode_segment);
    let name = named.unwrap_or_default().replace('-', " ");
    let page = PageRequest::new(&request, &state, &visitor);
    let described = areas(&DOCUMENT).remove(&name);
    let described = described.ok_or_else(PageFailure::not_found)?;
    let operation = |found: &OperationEntry<'_>| {
        OperationView::of(&DOCUMENT, found.method, found.path, found.operation)
    };
    page.show_with(
        StatusCode::OK,
        &AreaPage {
            shell: page.shell(SiteArea::Focused, format!("{name} · API")),
            base_url: state.base_url.clone(),
            operations: described.iter().map(operation).collect(),
            shapes: shapes_of(&DOCUMENT, &described),
            name,
        },
    )
}

/// Operation of the document, with its method and path.
struct OperationEntry<'d> {
    method: &'d str,
    path: &'d str,
    operation: &'d Value,
}

/// Operations grouped by area.
fn areas(document: &Value) -> BTreeMap<String, Vec<OperationEntry<'_>>> {
    let mut areas: BTreeMap<String, Vec<OperationEntry<'_>>> = BTreeMap::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, methods) in paths.into_iter().flatten() {
        for (method, operation) in methods.as_object().into_iter().flatten() {
            let area = operation.pointer("/tags/0").and_then(Value::as_str);
            let described = OperationEntry {
                method,
                path,
                operation,
            };
            let area = area.unwrap_or_default().to_owned();
            areas.entry(area).or_default().push(described);
        }
    }
    areas
}

/// Path of an area's page.
fn path_of(area: &str) -> String {
    format!("{PATH}/{}", area.replace(' ', "-"))
}

/// Operations whose id, path or summary contains all words of a search, ignoring case; empty for an empty search.
fn hits(document: &Value, search: &str) -> Vec<Hit> {
    let words: Vec<String> = search.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return Vec::new();
    }
    let areas = areas(document).into_iter();
    let all = areas.flat_map(|(area, operations)| {
        operations
            .into_iter()
            .map(move |found| (area.clone(), found))
    });
    let hit = |(area, found): (String, OperationEntry<'_>)| {
        let (id, summary) = (
            text(found.operation, "operationId"),
            text(found.operation, "summary"),
        );
        let method = found.method.to_ascii_uppercase();
        let within = format!("{id} {method} {} {summary} {area}", found.path).to_lowercase();
        let is_hit = words.iter().all(|word| within.contains(word.as_str()));
        is_hit.then(|| Hit {
            href: format!("{}#{id}", path_of(&area)),
            path: found.path.to_owned(),
            method,
            summary,
        })
    };
    all.filter_map(hit).collect()
}

/// Shapes that operations refer to, directly or through other shapes.
fn shapes_of(document: &Value, operations: &[OperationEntry<'_>]) -> Vec<Shape> {
    let mut known = BTreeSet::new();
    for found in operations {
        mentioned(document, found.operation, &mut known);
    }
    let mut shapes = shapes(document);
    shapes.retain(|shape| known.contains(&shape.name));
    shapes
}

#[cfg(test)]
mod tests {
    use deprecations::adapt::Adaptation;
    use deprecations::{Edition, NEWEST, published};
    use web_conventions::operations::Declaration;

    use super::*;

    #[test]
    fn every_documented_operation_is_shown_in_an_area() {
        let areas = areas(&DOCUMENT);
        let count: usize = areas.values().map(Vec::len).sum();
        let declared = super::super::declarations();
        let is_in_newest_release = |declared: &Declaration| {
            let found = Adaptation::of(published(), declared.method.as_str(), declared.path);
            found.is_none_or(|found| found.is_alive(Edition::of(NEWEST)))
        };
        let tagged = declared
            .iter()
            .filter(|declared| declared.tag.is_some() && is_in_newest_release(declared));
        assert_eq!(count, tagged.count());
        for (name, operations) in &areas {
            assert!(!name.is_empty() && !name.contains('-'), "{name}");
            for found in operations {
                let (method, path, operation) = (found.method, found.path, found.operation);
                let shown = OperationView::of(&DOCUMENT, method, path, operation);
                assert!(
                    !shown.summary.is_empty() && !shown.answers.is_empty(),
                    "{}",
                    shown.id
                );
            }
        }
    }

    #[test]
    fn each_shape_is_on_the_page_of_an_area_that_mentions_it() {
        let areas = areas(&DOCUMENT);
        let of_alerts = shapes_of(&DOCUMENT, &areas["alerts"]);
        let names: Vec<&str> = of_alerts.iter().map(|shape| shape.name.as_str()).collect();
        assert!(
            names.contains(&"AlertJson") && names.contains(&"RefusalJson"),
            "{names:?}"
        );
        assert!(!names.contains(&"GroupJson"), "{names:?}");
        let mut shown = BTreeSet::new();
        for operations in areas.values() {
            shown.extend(
                shapes_of(&DOCUMENT, operations)
                    .into_iter()
                    .map(|shape| shape.name),
            );
        }
        let all: BTreeSet<String> = shapes(&DOCUMENT)
            .into_iter()
            .map(|shape| shape.name)
            .collect();
        assert_eq!(shown, all);
    }

    #[test]
    fn a_search_finds_operations_by_all_of_its_words() {
        let paths = |search: &str| -> Vec<String> {
            let hits = hits(&DOCUMENT, search).into_iter();
            hits.map(|hit| format!("{} {}", hit.method, hit.href))
                .collect()
        };
        assert!(paths("delete LABEL").contains(&"DELETE /help/api/labels#deleteLabel".to_owned()));
        assert!(
            paths("statuses/{sha}")
                .iter()
                .all(|hit| hit.contains("/commit-statuses#"))
        );
        assert!(paths("").is_empty() && paths("no such words").is_empty());
    }
}
