//! Responses of operations: declared ones, and those that follow from the rest of the declarations.

use std::collections::BTreeMap;

use actix_web::http::Method;
use schemars::{Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::parameters::is_conditional;
use super::set;
use crate::operations::access::{Access, Needs};
use crate::operations::declaration::{Content, Declaration, Pages, RateClass, ResponseSpec};
use crate::operations::parameter::Location;

/// Refusals that operations share: status, name in the document, and description.
const SHARED: [(u16, &str, &str); 11] = [
    (
        400,
        "BadRequest",
        "A parameter is missing or invalid. The body names it.",
    ),
    (401, "Unauthorized", "Credentials are missing or invalid."),
    (
        403,
        "Forbidden",
        "The caller lacks permission, or the token has none of the required scopes.",
    ),
    (
        404,
        "NotFound",
        "The resource does not exist, or the caller may not see it.",
    ),
    (
        405,
        "MethodNotAllowed",
        "The list does not support this pagination. The body says what it supports.",
    ),
    (408, "RequestTimeout", "The body took too long to arrive."),
    (413, "ContentTooLarge", "The body is too large."),
    (414, "UriTooLong", "The query is too long."),
    (
        415,
        "UnsupportedMediaType",
        "The media type or the encoding of the body is not supported.",
    ),
    (
        429,
        "TooManyRequests",
        "Too many requests, or too many attempts with invalid credentials. Try again after the number of seconds in the header Retry-After.",
    ),
    (
        503,
        "Unavailable",
        "The server is temporarily unavailable. Try again after the number of seconds in the header Retry-After.",
    ),
];

/// Returns the responses of an operation, by status.
pub(super) fn of(
    declaration: &Declaration,
    schemas: &mut SchemaGenerator,
) -> BTreeMap<String, Value> {
    let mut answers = BTreeMap::new();
    for (status, name, about) in SHARED {
        if !may_refuse(declaration, status) {
            continue;
        }
        let answer = if declaration.refusal.is_some() {
            described(declaration, &ResponseSpec::refusal(status, about), schemas)
        } else {
            json!({"$ref": format!("#/components/responses/{name}")})
        };
        answers.insert(status.to_string(), answer);
    }
    for answer in &declaration.responses {
        answers.insert(
            answer.status.to_string(),
            described(declaration, answer, schemas),
        );
    }
    if is_conditional(declaration) {
        let unchanged =
            json!({"description": "Not modified: the caller already has the current response."});
        answers.insert("304".to_owned(), unchanged);
    }
    answers
}

/// True if an operation may be refused with this shared status.
fn may_refuse(declaration: &Declaration, status: u16) -> bool {
    let parameters = &declaration.parameters;
    let is_in = |location| {
        parameters
            .iter()
            .any(|parameter| parameter.location == location)
    };
    let has_body = declaration.method != Method::GET;
    let needs = declaration.access.needs();
    match status {
        // Every query is parsed, even if no parameter is declared.
        400 | 414 | 503 => true,
        401 | 403 => !matches!(declaration.access, Access::Public(_)),
        // Callers without API credentials must not learn which resources exist.
        404 if matches!(declaration.access, Access::Protocol(_)) => false,
        404 => {
            is_in(Location::Path)
                || matches!(
                    needs,
                    Some(
                        Needs::CanView(_)
                            | Needs::Role(..)
                            | Needs::RoleUnlessOpen(..)
                            | Needs::UserCanView(_)
                            | Needs::RoleOrAuthor(..)
                    )
                )
        }
        405 => declaration.pages != Pages::None,
        408 | 413 | 415 => has_body,
        429 => {
            let may_be_limited = [RateClass::Guess, RateClass::Intake];
            may_be_limited.contains(&declaration.rate) || needs.is_some()
        }
        _ => false,
    }
}

fn described(
    declaration: &Declaration,
    answer: &ResponseSpec,
    schemas: &mut SchemaGenerator,
) -> Value {
    let mut described = json!({"description": answer.about});
    let (media_type, schema) = match (answer.content, declaration.refusal) {
        (Content::Empty, _) => return described,
        (Content::Of(body), _) | (Content::Refusal, Some(body)) => {
            (body.media_type, (body.schema)(schemas))
        }
        (Content::Refusal, None) => ("application/json", shared_refusal()),
    };
    set(
        &mut described,
        "content",
        json!({ (media_type): {"schema": schema} }),
    );
    if declaration.pages != Pages::None && answer.status == 200 {
        set(&mut described, "headers", list_headers());
    }
    described
}

fn shared_refusal() -> Schema {
    json_schema!({"$ref": "#/components/schemas/Refusal"})
}

fn list_headers() -> Value {
    let number = |about: &str| json!({"description": about, "schema": {"type": "string", "pattern": "^[0-9]*$"}});
    json!({
        "Link": {
            "description": "Links to the first, previous, next and last pages (RFC 8288).",
            "schema": {"type": "string"},
        },
        "X-Page": number("Number of this page."),
        "X-Per-Page": number("Number of items per page."),
        "X-Next-Page": number("Number of the next page; empty on the last page."),
        "X-Prev-Page": number("Number of the previous page; empty on the first page."),
        "X-Total": number("Total number of items; absent above 10,000."),
        "X-Total-Pages": number("Total number of pages; absent above 10,000 items."),
    })
}

/// Returns the shared refusals that the operations of `paths` refer to, by name.
pub(super) fn shared(paths: &Value) -> BTreeMap<&'static str, Value> {
    let json = json!({"schema": shared_refusal()});
    // A limit of all calls is refused in plain text, one of similar operations in JSON.
    let content_of = |name: &str| match name {
        "TooManyRequests" => {
            json!({"application/json": json, "text/plain": {"schema": {"type": "string"}}})
        }
        _ => json!({"application/json": json}),
    };
    let text = paths.to_string();
    let is_used = |name: &str| text.contains(&format!("#/components/responses/{name}\""));
    let named = SHARED
        .iter()
        .filter(|(_, name, _)| is_used(name))
        .map(|(_, name, about)| {
            let refusal = json!({"description": about, "content": content_of(name)});
            (*name, refusal)
        });
    named.collect()
}

/// Returns the schema of every refusal: a message, or an error code with a description.
pub(super) fn refusal_schema() -> Value {
    json!({
        "type": "object",
        "description": "Reason why a request was refused.",
        "properties": {
            "message": {
                "description": "Error message, or a list of messages for each invalid attribute.",
                "oneOf": [{"type": "string"}, {"type": "object", "additionalProperties": true}],
            },
            "error": {"type": "string", "description": "Error code or error message."},
            "error_description": {"type": "string", "description": "Explanation of the error code."},
            "scope": {"type": "string", "description": "Scopes of which the token needs at least one."},
        },
        // A choice of required properties would be more precise, but client generators then drop all properties.
        "minProperties": 1,
    })
}
