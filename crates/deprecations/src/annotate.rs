//! Annotation of an API document (`OpenAPI` 3.x) with deprecations.

use serde_json::{Map, Value, json};

use crate::adapt::{Adaptation, Note};
use crate::model::{Edition, Life, Record};
use crate::schedule::Schedule;

/// Maximum length of a path through a document, so that recursive documents terminate.
const MAX_DEPTH: usize = 16;

/// Converts a document of everything that a server offers into that of an edition.
/// Operations, parameters and fields that the edition does not have are removed, and deprecated ones are marked
/// `deprecated`, with the id of the record (`x-deprecation`), the removal (`x-removal`) and, if that has a day,
/// `x-sunset`. An operation that was introduced with a release has `x-since`.
///
/// A field is part of a schema, and one schema may describe several responses: the field is marked if one of them has a
/// record.
pub fn annotate(document: &mut Value, schedule: &Schedule, at: Edition) {
    let mut fields = Vec::new();
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (path, operations) in paths.into_iter().flatten() {
        let Some(operations) = operations.as_object_mut() else {
            continue;
        };
        operations.retain(|method, operation| {
            let adaptation = Adaptation::of(schedule, &method.to_uppercase(), path);
            let Some(adaptation) = adaptation else {
                return true;
            };
            let marker = Marker { schedule, at };
            marker.mark_operation(&adaptation, operation);
            fields.extend(marker.fields(&adaptation, operation));
            adaptation.is_alive(at)
        });
    }
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        paths.retain(|_, operations| operations.as_object().is_none_or(|it| !it.is_empty()));
    }
    for field in fields {
        for schema in &field.schemas {
            if let Some(pointer) = locate(document, schema, &field.path, 0) {
                field.apply(document, &pointer);
            }
        }
    }
}

struct Marker<'s> {
    schedule: &'s Schedule,
    at: Edition,
}

/// A field with a record, and the schemas that contain it.
struct FieldAnnotation {
    path: Vec<String>,
    schemas: Vec<Value>,
    /// Members to add to the field; `None` if the edition does not have it.
    marks: Option<Map<String, Value>>,
}

impl Marker<'_> {
    fn mark_operation(&self, adaptation: &Adaptation, operation: &mut Value) {
        for note in adaptation.of_operation() {
            if let (Life::Introduced(release), Some(members)) =
                (note.life, operation.as_object_mut())
            {
                members.insert("x-since".to_owned(), json!(release.to_string()));
            }
            if note.is_deprecated(self.at) {
                add(operation, self.marks(note));
            }
        }
        for (note, name) in adaptation.of_parameters() {
            self.mark_parameter(note, name, operation);
        }
        for name in adaptation.names_with_bounds() {
            let (least, most) = adaptation.bounds(self.at, name);
            set_bounds(operation, name, least, most);
        }
    }

    /// Marks a parameter wherever the operation accepts it, or removes it there.
    fn mark_parameter(&self, note: &Note, name: &str, operation: &mut Value) {
        let is_gone = note.counts(self.at);
        let marks = note.is_deprecated(self.at).then(|| self.marks(note));
        let is_it = |parameter: &Value| parameter.get("name").and_then(Value::as_str) == Some(name);
        if let Some(parameters) = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut)
        {
            parameters.retain(|parameter| !(is_gone && is_it(parameter)));
            for parameter in parameters.iter_mut().filter(|parameter| is_it(parameter)) {
                if let Some(marks) = &marks {
                    add(parameter, marks.clone());
                }
            }
        }
        let content = operation.pointer_mut("/requestBody/content");
        for body in content
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(Map::values_mut)
        {
            let Some(schema) = body.get_mut("schema") else {
                continue;
            };
            if is_gone {
                take_out(schema, name);
            } else if let (Some(field), Some(marks)) = (property(schema, name), &marks) {
                add(field, marks.clone());
            }
        }
    }

    fn fields(&self, adaptation: &Adaptation, operation: &Value) -> Vec<FieldAnnotation> {
        let schemas: Vec<Value> = responses(operation).cloned().collect();
        let meant = adaptation
            .of_fields()
            .filter(|(note, _)| note.counts(self.at) || note.is_deprecated(self.at));
        let field = |(note, path): (&Note, &[String])| FieldAnnotation {
            path: path.to_vec(),
            schemas: schemas.clone(),
            marks: note.is_deprecated(self.at).then(|| self.marks(note)),
        };
        meant.map(field).collect()
    }

    fn marks(&self, note: &Note) -> Map<String, Value> {
        let mut marks = Map::new();
        marks.insert("deprecated".to_owned(), json!(true));
        marks.insert("x-deprecation".to_owned(), json!(note.id));
        let record = self.schedule.find(&note.id);
        let removal = record.and_then(Record::removal);
        if let Some(removal) = removal {
            marks.insert("x-removal".to_owned(), json!(removal.to_string()));
        }
        if let Some(day) = record.and_then(Record::removed_on) {
            marks.insert("x-sunset".to_owned(), json!(day.to_string()));
        }
        marks
    }
}

impl FieldAnnotation {
    fn apply(&self, document: &mut Value, pointer: &str) {
        if let Some(marks) = &self.marks {
            if let Some(found) = document.pointer_mut(pointer) {
                add(found, marks.clone());
            }
        } else if let Some((schema, name)) = pointer.rsplit_once("/properties/")
            && let Some(schema) = document.pointer_mut(schema)
        {
            take_out(schema, name);
        }
    }
}

/// Writes length bounds into the schemas of a parameter, wherever the operation accepts it.
fn set_bounds(operation: &mut Value, name: &str, least: Option<usize>, most: Option<usize>) {
    let bound = |schema: &mut Value| {
        let mut bounds = Map::new();
        bounds.extend(least.map(|least| ("minLength".to_owned(), json!(least))));
        bounds.extend(most.map(|most| ("maxLength".to_owned(), json!(most))));
        add(schema, bounds);
    };
    let parameters = operation.get_mut("parameters");
    let parameters = parameters
        .and_then(Value::as_array_mut)
        .into_iter()
        .flatten();
    for parameter in parameters {
        let is_it = parameter.get("name").and_then(Value::as_str) == Some(name);
        if let Some(schema) = parameter.get_mut("schema").filter(|_| is_it) {
            bound(schema);
        }
    }
    let content = operation.pointer_mut("/requestBody/content");
    let content = content.and_then(Value::as_object_mut);
    for body in content.into_iter().flat_map(Map::values_mut) {
        let schema = body.get_mut("schema");
        if let Some(schema) = schema.and_then(|schema| property(schema, name)) {
            bound(schema);
        }
    }
}

/// Schemas of the successful responses of an operation.
fn responses(operation: &Value) -> impl Iterator<Item = &Value> {
    let responses = operation.get("responses").and_then(Value::as_object);
    let successes = responses
        .into_iter()
        .flatten()
        .filter(|(status, _)| status.starts_with('2'));
    successes.filter_map(|(_, answer)| answer.pointer("/content/application~1json/schema"))
}

/// Finds a field in the document, starting at a schema and following references, array items and choices.
fn locate(document: &Value, schema: &Value, path: &[String], depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    if let Some(pointer) = schema.get("$ref").and_then(Value::as_str) {
        let pointer = pointer.strip_prefix('#')?;
        return within(document, pointer, path, depth + 1);
    }
    let items = schema.get("items");
    items.and_then(|items| locate(document, items, path, depth + 1))
}

/// Finds a field in the document, starting at a JSON pointer.
fn within(document: &Value, pointer: &str, path: &[String], depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    let schema = document.pointer(pointer)?;
    let (name, inner) = path.split_first()?;
    let field = format!(
        "{pointer}/properties/{}",
        name.replace('~', "~0").replace('/', "~1")
    );
    if let Some(found) = document.pointer(&field) {
        return if inner.is_empty() {
            Some(field)
        } else {
            locate(document, found, inner, depth + 1)
                .or_else(|| within(document, &field, inner, depth + 1))
        };
    }
    if let Some(other) = schema.get("$ref").and_then(Value::as_str) {
        return within(document, other.strip_prefix('#')?, path, depth + 1);
    }
    if schema.get("items").is_some() {
        return within(document, &format!("{pointer}/items"), path, depth + 1);
    }
    ["anyOf", "oneOf", "allOf"].into_iter().find_map(|word| {
        let count = schema
            .get(word)
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        let mut choices = (0..count).map(|at| format!("{pointer}/{word}/{at}"));
        choices.find_map(|choice| within(document, &choice, path, depth + 1))
    })
}

fn property<'v>(schema: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    schema.get_mut("properties")?.get_mut(name)
}

/// Removes a property from a schema.
fn take_out(schema: &mut Value, name: &str) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove(name);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|required| required.as_str() != Some(name));
    }
}

fn add(value: &mut Value, marks: Map<String, Value>) {
    if let Some(members) = value.as_object_mut() {
        members.extend(marks);
    }
}
