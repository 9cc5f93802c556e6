//! `/help/api`: the description of the API for people. It is made here, so nothing on it comes from elsewhere.

use std::collections::BTreeMap;

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use serde_json::Value;

use super::DOCUMENT;
use super::shape::{Field, Shape, fields, kind, shapes, text};
use crate::frame::page::answer::PageRequest;
use crate::frame::page::failure::PageFailure;
use crate::frame::page::shell::{Place, Shell};
use crate::frame::visitor::Visitor;
use crate::state::AppState;

/// An operation as the page shows it.
struct ShownOperation {
    id: String,
    method: String,
    path: String,
    summary: String,
    callers: String,
    scopes: String,
    credentials: String,
    parameters: Vec<Field>,
    body: Vec<Field>,
    answers: Vec<ShownAnswer>,
}

/// An answer as the page shows it.
struct ShownAnswer {
    status: String,
    about: String,
    kind: String,
}

/// The operations of an area of the product.
struct ShownArea {
    name: String,
    operations: Vec<ShownOperation>,
}

#[derive(Template)]
#[template(path = "areas/api_help/api_help.html")]
struct HelpPage {
    shell: Shell,
    base_url: String,
    areas: Vec<ShownArea>,
    shapes: Vec<Shape>,
}

pub(super) async fn show(
    request: HttpRequest,
    state: Data<AppState>,
    visitor: Visitor,
) -> Result<HttpResponse, PageFailure> {
    let page = PageRequest::new(&request, &state, &visitor);
    page.show(&HelpPage {
        shell: page.shell(Place::Elsewhere, "API"),
        base_url: state.base_url.clone(),
        areas: areas(&DOCUMENT),
        shapes: shapes(&DOCUMENT),
    })
}

fn areas(document: &Value) -> Vec<ShownArea> {
    let mut areas: BTreeMap<String, Vec<ShownOperation>> = BTreeMap::new();
    let paths = document.get("paths").and_then(Value::as_object);
    for (path, methods) in paths.into_iter().flatten() {
        for (method, described) in methods.as_object().into_iter().flatten() {
            let shown = ShownOperation::of(document, method, path, described);
            let area = described
                .pointer("/tags/0")
                .and_then(Value::as_str)
                .unwrap_or_default();
            areas.entry(area.to_owned()).or_default().push(shown);
        }
    }
    let areas = areas.into_iter();
    areas
        .map(|(name, operations)| ShownArea { name, operations })
        .collect()
}

impl ShownOperation {
    fn of(document: &Value, method: &str, path: &str, described: &Value) -> Self {
        Self {
            id: text(described, "operationId"),
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            summary: text(described, "summary"),
            callers: text(described, "description"),
            scopes: scopes(described),
            credentials: credentials(document, described),
            parameters: items(described, "parameters")
                .map(|found| parameter(resolved(document, found)))
                .collect(),
            body: body(described).map(fields).unwrap_or_default(),
            answers: answers(document, described),
        }
    }
}

fn items<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value
        .get(name)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn scopes(described: &Value) -> String {
    let ways = items(described, "security");
    let scopes = ways.flat_map(|way| items(way, "accessToken"));
    let words: Vec<&str> = scopes.filter_map(Value::as_str).collect();
    words.join(", ")
}

/// How a command line sends the credentials that an operation takes first; empty for what is for everybody.
fn credentials(document: &Value, described: &Value) -> String {
    let first = items(described, "security").find_map(|way| way.as_object()?.keys().next());
    let scheme = first.and_then(|name| {
        let path = format!("/components/securitySchemes/{name}/scheme");
        document.pointer(&path).and_then(Value::as_str)
    });
    match scheme {
        Some("basic") => "--user \"$CLIENT_ID:$CLIENT_SECRET\" ",
        Some(_) => "--header \"Authorization: Bearer $TOKEN\" ",
        None => "",
    }
    .to_owned()
}

/// The schema of the body in its first type; all types have the same fields.
fn body(described: &Value) -> Option<&Value> {
    let content = described.pointer("/requestBody/content")?.as_object()?;
    content.values().next()?.get("schema")
}

/// What a reference in the document stands for; what is no reference stands for itself.
fn resolved<'v>(document: &'v Value, found: &'v Value) -> &'v Value {
    let reference = found.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|path| document.pointer(path.trim_start_matches('#')));
    target.unwrap_or(found)
}

fn parameter(described: &Value) -> Field {
    let kind = described.get("schema").map(kind).unwrap_or_default();
    let is_header = described.get("in").and_then(Value::as_str) == Some("header");
    Field {
        name: text(described, "name"),
        kind: if is_header {
            format!("{kind} in a header")
        } else {
            kind
        },
        about: text(described, "description"),
        is_required: described.get("required") == Some(&Value::Bool(true)),
    }
}

fn answers(document: &Value, described: &Value) -> Vec<ShownAnswer> {
    let answers = described.get("responses").and_then(Value::as_object);
    let answers = answers.into_iter().flatten().map(|(status, answer)| {
        let answer = resolved(document, answer);
        let schema = answer.pointer("/content/application~1json/schema");
        ShownAnswer {
            status: status.clone(),
            about: text(answer, "description"),
            kind: schema.map(kind).unwrap_or_default(),
        }
    });
    answers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_documented_operation_is_shown_in_an_area() {
        let shown = areas(&DOCUMENT);
        let count: usize = shown.iter().map(|area| area.operations.len()).sum();
        let declared = super::super::declarations();
        assert_eq!(
            count,
            declared
                .iter()
                .filter(|declared| declared.tag.is_some())
                .count()
        );
        assert!(shown.iter().all(|area| !area.name.is_empty()));
        let operations = shown.iter().flat_map(|area| &area.operations);
        for operation in operations {
            assert!(
                !operation.summary.is_empty() && !operation.answers.is_empty(),
                "{}",
                operation.id
            );
        }
    }
}
