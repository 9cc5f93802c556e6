//! The parameters and bodies of operations.

use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::set;
use crate::operations::declaration::{Declaration, Pages};
use crate::operations::parameter::{Kind, Location, Parameter};

/// The media types in which a body is taken, all with the same fields.
const BODY_TYPES: [&str; 2] = ["application/json", FORM];

const FORM: &str = "application/x-www-form-urlencoded";

/// The parameters of the path and the query.
pub(super) fn of(declaration: &Declaration) -> Vec<Value> {
    let own = declaration.parameters.iter();
    let own = own.filter(|parameter| parameter.location != Location::Body);
    let paging = paging(declaration.pages);
    own.chain(paging.iter()).map(parameter).collect()
}

fn parameter(parameter: &Parameter) -> Value {
    let is_list = parameter.kind.is_list();
    let is_in_path = parameter.location == Location::Path;
    let mut described = json!({
        "name": if is_list { format!("{}[]", parameter.name) } else { parameter.name.to_owned() },
        "in": if is_in_path { "path" } else { "query" },
        "required": parameter.is_required,
        "description": parameter.about,
        "schema": parameter.schema(),
    });
    let is_text = matches!(
        parameter.kind,
        Kind::Text { .. } | Kind::SpacedWords(_) | Kind::Addresses
    );
    if parameter.location == Location::Query && !parameter.is_required && !is_text && !is_list {
        // Nothing after the equals sign is as good as no parameter.
        set(&mut described, "allowEmptyValue", json!(true));
    }
    if is_list {
        set(&mut described, "style", json!("form"));
        set(&mut described, "explode", json!(true));
    }
    described
}

/// The parameters that lists have.
fn paging(pages: Pages) -> Vec<Parameter> {
    const PAGE: Parameter = Parameter::query(
        "page",
        Kind::ANY_INTEGER,
        "The number of the page, from 1 on. A smaller number is the first page.",
    );
    const PER_PAGE: Parameter = Parameter::query(
        "per_page",
        Kind::PageSize,
        "How many items a page has, from 1 to 100. A greater number is 100, and a negative one is none.",
    );
    const PAGINATION: Parameter = Parameter::query(
        "pagination",
        Kind::ANY_TEXT,
        "`keyset` pages by the key of the last item instead of by number: follow the link to the next page.",
    );
    match pages {
        Pages::None => Vec::new(),
        Pages::Offset => vec![PAGE, PER_PAGE],
        Pages::OffsetAndKeyset => vec![PAGE, PER_PAGE, PAGINATION],
    }
}

/// The body, for an operation that takes one.
pub(super) fn body_of(declaration: &Declaration, schemas: &mut SchemaGenerator) -> Option<Value> {
    if let Some(body) = declaration.body {
        let schema = (body.schema)(schemas);
        return Some(json!({
            "required": true,
            "content": {(body.media_type): {"schema": schema}},
        }));
    }
    let fields: Vec<&Parameter> = declaration
        .parameters
        .iter()
        .filter(|parameter| parameter.location == Location::Body)
        .collect();
    if fields.is_empty() {
        return None;
    }
    let content: Map<String, Value> = BODY_TYPES
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({"schema": schema_of(&fields, name)}),
            )
        })
        .collect();
    let is_required = fields.iter().any(|field| field.is_required);
    Some(json!({"required": is_required, "content": content}))
}

/// The schema of fields in a body of a media type. A form names lists as a query does, because a name that is repeated
/// without brackets is one value, the last.
fn schema_of(fields: &[&Parameter], media_type: &str) -> Value {
    let name_of = |field: &Parameter| {
        if media_type == FORM && field.kind.is_list() {
            format!("{}[]", field.name)
        } else {
            field.name.to_owned()
        }
    };
    let described = |field: &Parameter| {
        let mut schema = field.schema();
        set(&mut schema, "description", json!(field.about));
        schema
    };
    let properties: Map<String, Value> = fields
        .iter()
        .map(|field| (name_of(field), described(field)))
        .collect();
    let required: Vec<String> = fields
        .iter()
        .filter(|field| field.is_required)
        .map(|field| name_of(field))
        .collect();
    let mut schema = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        set(&mut schema, "required", json!(required));
    }
    schema
}
