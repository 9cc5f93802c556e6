//! Operations of the document, prepared for the help pages.

use serde_json::Value;

use super::shape::{SchemaField, fields, kind, text};

/// Operation as a page shows it.
pub(super) struct OperationView {
    /// Operation id.
    pub(super) id: String,
    /// HTTP method.
    pub(super) method: String,
    pub(super) path: String,
    /// Summary of the operation.
    pub(super) summary: String,
    /// Callers that may use it.
    pub(super) callers: String,
    /// Scopes, one of which a token needs.
    pub(super) scopes: String,
    /// Option of a command line that sends the credentials.
    pub(super) credentials: String,
    /// Parameters of this operation alone.
    pub(super) parameters: Vec<SchemaField>,
    /// Names of the parameters that it shares with other operations.
    pub(super) common: String,
    /// Fields of the request body.
    pub(super) body: Vec<SchemaField>,
    /// Responses of this operation alone.
    pub(super) answers: Vec<ResponseView>,
    /// Statuses of the refusals that it shares with other operations.
    pub(super) refusals: String,
}

/// Response as a page shows it.
pub(super) struct ResponseView {
    /// HTTP status.
    pub(super) status: String,
    /// Description of the response.
    pub(super) about: String,
    /// Type of the response body.
    pub(super) kind: String,
}

impl OperationView {
    /// Reads an operation of the document.
    pub(super) fn of(document: &Value, method: &str, path: &str, described: &Value) -> Self {
        let is_own = |found: &&Value| found.get("$ref").is_none();
        let parameters = || items(described, "parameters");
        let common = parameters().filter(|found| !is_own(found));
        let common: Vec<String> = common
            .map(|found| text(resolved(document, found), "name"))
            .collect();
        let answers = described.get("responses").and_then(Value::as_object);
        let answers = || answers.into_iter().flatten();
        let refusals = answers().filter(|(_, answer)| !is_own(answer));
        let refusals: Vec<&str> = refusals.map(|(status, _)| status.as_str()).collect();
        Self {
            id: text(described, "operationId"),
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            summary: text(described, "summary"),
            callers: text(described, "description"),
            scopes: scopes(described),
            credentials: credentials(document, described),
            parameters: parameters().filter(is_own).map(parameter).collect(),
            common: common.join(", "),
            body: body(described).map(fields).unwrap_or_default(),
            answers: answers()
                .filter(|(_, answer)| is_own(answer))
                .map(|(status, answer)| response_view(status, answer))
                .collect(),
            refusals: refusals.join(", "),
        }
    }
}

/// Parameters that many operations share.
pub(super) fn common_parameters(document: &Value) -> Vec<SchemaField> {
    let shared = document.pointer("/components/parameters");
    let shared = shared.and_then(Value::as_object).into_iter().flatten();
    shared.map(|(_, described)| parameter(described)).collect()
}

/// Responses that many operations share, ordered by status.
pub(super) fn common_answers(document: &Value) -> Vec<ResponseView> {
    let paths = document.get("paths").and_then(Value::as_object);
    let methods = paths.into_iter().flatten().map(|(_, methods)| methods);
    let operations = methods.filter_map(Value::as_object).flatten();
    let answers = operations.filter_map(|(_, operation)| operation.get("responses")?.as_object());
    let mut known: Vec<ResponseView> = Vec::new();
    for (status, answer) in answers.flatten() {
        let is_known = known.iter().any(|shown| shown.status == *status);
        if answer.get("$ref").is_some() && !is_known {
            known.push(response_view(status, resolved(document, answer)));
        }
    }
    known.sort_by(|one, other| one.status.cmp(&other.status));
    known
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

/// Option of a command line that sends the credentials an operation lists first; empty for a public operation.
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

/// Schema of the body for its first media type; all media types have the same fields.
fn body(described: &Value) -> Option<&Value> {
    let content = described.pointer("/requestBody/content")?.as_object()?;
    content.values().next()?.get("schema")
}

/// Resolves a `$ref` in the document; any other value is returned unchanged.
fn resolved<'v>(document: &'v Value, found: &'v Value) -> &'v Value {
    let reference = found.get("$ref").and_then(Value::as_str);
    let target = reference.and_then(|path| document.pointer(path.trim_start_matches('#')));
    target.unwrap_or(found)
}

fn parameter(described: &Value) -> SchemaField {
    let kind = described.get("schema").map(kind).unwrap_or_default();
    let is_header = described.get("in").and_then(Value::as_str) == Some("header");
    SchemaField {
        name: text(described, "name"),
        kind: if is_header {
            format!("{kind} (header)")
        } else {
            kind
        },
        about: text(described, "description"),
        is_required: described.get("required") == Some(&Value::Bool(true)),
    }
}

fn response_view(status: &str, answer: &Value) -> ResponseView {
    let schema = answer.pointer("/content/application~1json/schema");
    ResponseView {
        status: status.to_owned(),
        about: text(answer, "description"),
        kind: schema.map(kind).unwrap_or_default(),
    }
}
