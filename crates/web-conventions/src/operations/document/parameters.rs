//! Parameters and bodies of operations.

use actix_web::http::Method;
use schemars::SchemaGenerator;
use serde_json::{Map, Value, json};

use super::set;
use crate::form_data::FORM_DATA;
use crate::operations::access::Access;
use crate::operations::declaration::{Declaration, Pages};
use crate::operations::parameter::{Location, Parameter, ParameterKind};

/// Media types in which a body is accepted, all with the same fields.
const BODY_TYPES: [&str; 2] = [JSON, FORM];

const JSON: &str = "application/json";

const FORM: &str = "application/x-www-form-urlencoded";

/// Header with the entity tag of a response that the client already has.
const IF_NONE_MATCH: Parameter = Parameter::header(
    "If-None-Match",
    ParameterKind::ANY_TEXT,
    "ETag of a response that the caller already has. If it is still current, the response is 304 without a body (RFC 9110).",
);

/// Returns the parameters in the path, the query and the headers. Shared ones are references.
pub(super) fn of(declaration: &Declaration, common: &[Parameter]) -> Vec<Value> {
    let own = declaration.parameters.iter();
    let own = own.filter(|parameter| !is_in_body(parameter));
    let paging = paging(declaration.pages);
    let mut all: Vec<Value> = own.chain(paging.iter()).map(described).collect();
    let is_of_the_api = declaration.access.needs().is_some();
    all.extend(common.iter().filter(|_| is_of_the_api).map(reference));
    if is_conditional(declaration) {
        all.push(reference(&IF_NONE_MATCH));
    }
    all
}

/// Returns the parameters that operations share, by name.
pub(super) fn shared(common: &[Parameter]) -> Map<String, Value> {
    let all = common.iter().chain([&IF_NONE_MATCH]);
    all.map(|parameter| (parameter.name.to_owned(), described(parameter)))
        .collect()
}

/// True if the responses of an operation have an entity tag.
pub(super) fn is_conditional(declaration: &Declaration) -> bool {
    let is_tagged = matches!(declaration.access, Access::Api { .. } | Access::Public(_));
    declaration.method == Method::GET && is_tagged
}

fn is_in_body(parameter: &Parameter) -> bool {
    matches!(parameter.location, Location::Body | Location::Form)
}

fn reference(parameter: &Parameter) -> Value {
    json!({"$ref": format!("#/components/parameters/{}", parameter.name)})
}

fn described(parameter: &Parameter) -> Value {
    let is_list = parameter.kind.is_list();
    let has_brackets = parameter.kind.has_brackets();
    let mut described = json!({
        "name": if has_brackets { format!("{}[]", parameter.name) } else { parameter.name.to_owned() },
        "in": match parameter.location {
            Location::Path => "path",
            Location::Header => "header",
            Location::Query | Location::Body | Location::Form => "query",
        },
        "required": parameter.is_required,
        "description": parameter.about,
        "schema": parameter.schema(),
    });
    let is_text = matches!(
        parameter.kind,
        ParameterKind::Text { .. }
            | ParameterKind::SpacedWords(_)
            | ParameterKind::Scope(_)
            | ParameterKind::Addresses
    );
    if parameter.location == Location::Query && !parameter.is_required && !is_text && !is_list {
        // A parameter without a value counts as absent.
        set(&mut described, "allowEmptyValue", json!(true));
    }
    if is_list {
        set(&mut described, "style", json!("form"));
        set(&mut described, "explode", json!(true));
    }
    described
}

/// Returns the paging parameters of lists.
fn paging(pages: Pages) -> Vec<Parameter> {
    const PAGE: Parameter = Parameter::query(
        "page",
        ParameterKind::ANY_INTEGER,
        "Page number, from 1. A smaller number means the first page.",
    );
    const PER_PAGE: Parameter = Parameter::query(
        "per_page",
        ParameterKind::PageSize,
        "Number of items per page, from 1 to 100. A larger number means 100, and a negative number means no items.",
    );
    const PAGINATION: Parameter = Parameter::query(
        "pagination",
        ParameterKind::ANY_TEXT,
        "`keyset` selects keyset pagination instead of page numbers: follow the link to the next page.",
    );
    match pages {
        Pages::None => Vec::new(),
        Pages::Offset => vec![PAGE, PER_PAGE],
        Pages::OffsetAndKeyset => vec![PAGE, PER_PAGE, PAGINATION],
    }
}

/// Returns the body, for an operation that accepts one.
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
        .filter(|parameter| is_in_body(parameter))
        .collect();
    if fields.is_empty() {
        return None;
    }
    let is_form = fields.iter().all(|field| field.location == Location::Form);
    let has_file = fields.iter().any(|field| field.kind == ParameterKind::File);
    let types: &[&str] = match (has_file, is_form) {
        (true, _) => &[FORM_DATA],
        (false, true) => &[FORM],
        (false, false) => &BODY_TYPES,
    };
    let content: Map<String, Value> = types
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

/// Returns the schema of fields in a body of a media type. A form names lists as a query does, because a name that is
/// repeated without brackets is one value, the last.
fn schema_of(fields: &[&Parameter], media_type: &str) -> Value {
    let name_of = |field: &Parameter| {
        if media_type != JSON && field.kind.has_brackets() {
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
    // The API refuses unknown fields; other protocols ignore them.
    if fields.iter().any(|field| field.location == Location::Body) {
        set(&mut schema, "additionalProperties", json!(false));
    }
    if !required.is_empty() {
        set(&mut schema, "required", json!(required));
    }
    schema
}
