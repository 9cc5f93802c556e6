//! The document of an API (`OpenAPI` 3.1), made of its declarations.

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

/// What a document says besides its operations.
#[derive(Debug, Clone, Copy)]
pub struct Info<'a> {
    /// The name of the API.
    pub title: &'a str,
    /// The version of the program that serves it.
    pub version: &'a str,
    /// What it is, in a few sentences.
    pub description: &'a str,
    /// Where it is reached; empty for the server that the document came from.
    pub server_url: &'a str,
    /// The parameters that every operation of the API takes, besides those that it declares.
    pub common: &'a [Parameter],
}

/// The name of the body that refusals share. No body of an operation may have it.
const REFUSAL: &str = "Refusal";

/// The document of the operations that have a tag. It is the same for the same operations, byte for byte.
///
/// # Panics
/// When the body of an operation has the name of the one that refusals share, or one name is that of two different bodies.
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
            // A parameter that may have slashes is written as any other here.
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

/// The schemas of bodies. A field that has a default may be left out of what is asked, and stands in every answer.
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

/// Gives a tuple the schema of any of its items: generators of clients refuse an array without `items`.
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
    /// All that bodies refer to, by its name.
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

/// Who may call, as a sentence.
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
