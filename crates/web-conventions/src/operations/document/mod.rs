//! API document (`OpenAPI` 3.1), generated from the declarations.

mod parameters;
mod responses;
mod security;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::access::{Access, Needs};
use super::declaration::Declaration;
use super::parameter::Parameter;

/// General information for a document.
#[derive(Debug, Clone, Copy)]
pub struct Info<'a> {
    /// Name of the API.
    pub title: &'a str,
    /// Version of the server program.
    pub version: &'a str,
    /// Description, in a few sentences.
    pub description: &'a str,
    /// URL of the server; empty for the server that serves the document.
    pub server_url: &'a str,
    /// Parameters that every operation of the API accepts, in addition to those that it declares.
    pub common: &'a [Parameter],
}

/// Schema name of the shared body of refusals. No body of an operation may have it.
const REFUSAL: &str = "Refusal";

/// Generates the document of the operations that have a tag. The same operations give the same document, byte for byte.
///
/// # Panics
/// If the body of an operation has the name of the shared body of refusals, or if two different bodies have one name.
pub fn document<'d>(
    info: Info<'_>,
    operations: impl IntoIterator<Item = &'d Arc<Declaration>>,
) -> Value {
    let mut schemas = Schemas {
        requests: generator(SchemaSettings::draft2020_12().for_deserialize()),
        responses: generator(SchemaSettings::draft2020_12().for_serialize()),
    };
    let mut paths: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let mut credentials = security::of_the_api();
    for declaration in operations {
        if declaration.tag.is_none() {
            continue;
        }
        credentials.extend(security::own_schemes(declaration.access));
        let method = declaration.method.as_str().to_ascii_lowercase();
        let described = operation(declaration, info.common, &mut schemas);
        paths
            // A parameter that may have slashes is written like any other here.
            .entry(declaration.path.replace("{*", "{"))
            .or_default()
            .insert(method, described);
    }
    let mut schemas = schemas.definitions();
    let other = schemas.insert(REFUSAL.to_owned(), responses::refusal_schema());
    assert!(
        other.is_none(),
        "the body of an operation has the name of the shared refusal: {REFUSAL}"
    );
    let paths = json!(paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": info.title,
            "version": info.version,
            "description": info.description,
        },
        "servers": [{"url": if info.server_url.is_empty() { "/" } else { info.server_url }}],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "parameters": parameters::shared(info.common),
            "responses": responses::shared(&paths),
            "securitySchemes": credentials,
        },
    })
}

/// Schemas of bodies. A field with a default may be absent in requests, and is present in every response.
struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

fn generator(mut settings: SchemaSettings) -> SchemaGenerator {
    settings.definitions_path = "/components/schemas".into();
    settings.meta_schema = None;
    settings
        .with_transform(RecursiveTransform(name_items))
        .into_generator()
}

/// Replaces the schema of a tuple by one for any of its items: client generators reject an array without `items`.
fn name_items(schema: &mut Schema) {
    let Some(Value::Array(each)) = schema.remove("prefixItems") else {
        return;
    };
    let mut kinds: Vec<Value> = Vec::new();
    for kind in each {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let items = match kinds.pop() {
        Some(only) if kinds.is_empty() => only,
        last => {
            kinds.extend(last);
            json!({ "anyOf": kinds })
        }
    };
    schema.insert("items".to_owned(), items);
}

impl Schemas {
    /// Returns all definitions that bodies refer to, by name.
    fn definitions(mut self) -> Map<String, Value> {
        let mut all = self.responses.take_definitions(true);
        for (name, schema) in self.requests.take_definitions(true) {
            let other = all.insert(name.clone(), schema.clone());
            assert!(
                other.is_none_or(|other| other == schema),
                "two different bodies have the same name: {name}"
            );
        }
        all
    }
}

fn operation(declaration: &Declaration, common: &[Parameter], schemas: &mut Schemas) -> Value {
    let mut described = json!({
        "operationId": declaration.id,
        "summary": declaration.summary,
        "tags": declaration.tag.iter().collect::<Vec<_>>(),
        "description": describe_access(declaration.access),
        "security": security::of(declaration.access),
        "parameters": parameters::of(declaration, common),
        "responses": responses::of(declaration, &mut schemas.responses),
        "x-rate-class": declaration.rate.as_str(),
    });
    if let Some(limit) = declaration.limit {
        set(&mut described, "x-rate-limit", json!(limit));
    }
    if let Some(body) = parameters::body_of(declaration, &mut schemas.requests) {
        set(&mut described, "requestBody", body);
    }
    described
}

/// Describes the access to an operation, as a sentence.
fn describe_access(access: Access) -> String {
    match access {
        Access::Public(why) => format!("No authentication required: {why}."),
        Access::Protocol(credentials) => format!("Requires {}.", credentials.about),
        Access::Page(_) => "For use in a browser.".to_owned(),
        Access::Api { needs, .. } => match needs {
            Needs::Nothing => {
                "No authentication required. Callers without a token see only public resources."
                    .to_owned()
            }
            Needs::User => "Requires an authenticated user.".to_owned(),
            Needs::Administrator => "Requires an administrator.".to_owned(),
            Needs::CanView(place) => format!(
                "For everyone who can see the {0}; callers without a token can see only public ones.",
                place.as_str()
            ),
            Needs::UserCanView(place) => {
                format!(
                    "Requires an authenticated user who can see the {}.",
                    place.as_str()
                )
            }
            Needs::RoleOrAuthor(place, least) => format!(
                "Requires the role {least:?} or higher in the {}, unless the resource is the user's own.",
                place.as_str()
            ),
            Needs::RoleUnlessOpen(place, least) => format!(
                "Requires the role {least:?} or higher in the {0}, unless its settings open this to everyone who can see the {0}.",
                place.as_str()
            ),
            Needs::Role(place, least) => {
                format!(
                    "Requires the role {least:?} or higher in the {}.",
                    place.as_str()
                )
            }
        },
    }
}

/// Adds a member to a JSON object.
fn set(object: &mut Value, name: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}
