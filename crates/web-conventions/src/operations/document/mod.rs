//! API document (`OpenAPI` 3.1), generated from the declarations.

mod answers;
mod parameters;
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
        asked: generator(SchemaSettings::draft2020_12().for_deserialize()),
        answered: generator(SchemaSettings::draft2020_12().for_serialize()),
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
    let other = schemas.insert(REFUSAL.to_owned(), answers::refusal_schema());
    assert!(
        other.is_none(),
        "a body of an operation has the name of the shared one: {REFUSAL}"
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
            "responses": answers::shared(&paths),
            "securitySchemes": credentials,
        },
    })
}

/// Schemas of bodies. A field with a default may be absent in requests, and is present in every response.
struct Schemas {
    asked: SchemaGenerator,
    answered: SchemaGenerator,
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
        let mut all = self.answered.take_definitions(true);
        for (name, schema) in self.asked.take_definitions(true) {
            let other = all.insert(name.clone(), schema.clone());
            assert!(
                other.is_none_or(|other| other == schema),
                "two bodies of operations have the same name: {name}"
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
        "description": who_may_call(declaration.access),
        "security": security::of(declaration.access),
        "parameters": parameters::of(declaration, common),
        "responses": answers::of(declaration, &mut schemas.answered),
        "x-rate-class": declaration.rate.as_str(),
    });
    if let Some(body) = parameters::body_of(declaration, &mut schemas.asked) {
        set(&mut described, "requestBody", body);
    }
    described
}

/// Describes the access to an operation, as a sentence.
fn who_may_call(access: Access) -> String {
    match access {
        Access::Public(why) => format!("For everybody: {why}."),
        Access::Own(credentials) => format!("For anyone who brings {}.", credentials.about),
        Access::Page(_) => "For people with a browser.".to_owned(),
        Access::Api { needs, .. } => match needs {
            Needs::Nothing => {
                "For everybody. Callers without a token see what is public.".to_owned()
            }
            Needs::User => "For every user.".to_owned(),
            Needs::Administrator => "For administrators.".to_owned(),
            Needs::Sight(place) => format!(
                "For everybody who can see the {0}. Callers without a token see public ones.",
                place.as_str()
            ),
            Needs::UserSight(place) => {
                format!("For every user who can see the {}.", place.as_str())
            }
            Needs::RoleOrOwn(place, least) => format!(
                "For members of the {} with the role {least:?} or a higher one, and for users whose own the thing is.",
                place.as_str()
            ),
            Needs::RoleUnlessOpen(place, least) => format!(
                "For members of the {0} with the role {least:?} or a higher one, and for everybody who can see the {0} where its settings say so.",
                place.as_str()
            ),
            Needs::Role(place, least) => {
                format!(
                    "For members of the {} with the role {least:?} or a higher one.",
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
