//! API documents (`OpenAPI` 3.0 and 3.1, in JSON).

use serde_json::Value;

use crate::model::{Effect, Endpoint, Site, Touch};

use super::call::{CallTarget, method, segments, target_of, template};
use super::checker::CallChecker;
use super::parameter::{needs, shown, steps};
use super::report::Certainty;
use super::schema::{Document, FieldPresence, bound};

/// Members of a path item that are operations (`OpenAPI` 3.1, section 4.8.9).
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// An operation described by a document.
struct DescribedOperation<'d> {
    document: Document<'d>,
    /// Parameters of the path and the operation: the steps of their names, and their schemas.
    parameters: Vec<(Vec<&'d str>, &'d Value)>,
    /// Schemas of the request body.
    bodies: Vec<&'d Value>,
    /// Schemas of the responses.
    answers: Vec<&'d Value>,
}

/// Checks all operations of a document.
pub(super) fn read(document: &Value, checker: &mut CallChecker<'_, '_>) {
    let paths = document.get("paths").and_then(Value::as_object);
    let mut position = 0;
    for (path, item) in paths.into_iter().flatten() {
        let Some(item) = Document(document).resolve(item) else {
            continue;
        };
        for name in METHODS {
            let (Some(operation), Some(method)) = (item.get(name), method(name)) else {
                continue;
            };
            position += 1;
            checker.findings.calls += 1;
            match full_path(document, path) {
                Some(path) => {
                    let described = DescribedOperation::of(document, item, operation);
                    take(&method, &path, &described, position, checker);
                }
                None => checker.findings.add_outside(),
            }
        }
    }
}

/// Returns the path from the root. Documents may have the root of the API in a server URL (`OpenAPI` 3.1, section
/// 4.8.5).
fn full_path(document: &Value, path: &str) -> Option<String> {
    let from_root = |address: &str| match target_of(&segments(address)) {
        CallTarget::Api(path) | CallTarget::Oauth(path) => Some(path),
        CallTarget::Graphql | CallTarget::Page => None,
    };
    let servers = document.get("servers").and_then(Value::as_array);
    let behind_server = |server: &Value| {
        let address = server.get("url")?.as_str()?;
        from_root(&format!("{}{path}", address.trim_end_matches('/')))
    };
    from_root(path).or_else(|| servers?.iter().find_map(behind_server))
}

fn take(
    method: &str,
    path: &str,
    described: &DescribedOperation<'_>,
    position: u64,
    checker: &mut CallChecker<'_, '_>,
) {
    let Some(known) = checker.index.described(method, path) else {
        let shown = format!("{method} {}", template(path));
        checker.findings.add_unknown(shown, position);
        return;
    };
    let shown = known.endpoint.to_string();
    for (record, touch) in &known.touches {
        if let Some((certainty, detail)) = described.outcome(&known.endpoint, touch) {
            checker
                .findings
                .add(record, &shown, certainty, detail, position);
        }
    }
}

impl<'d> DescribedOperation<'d> {
    fn of(document: &'d Value, item: &'d Value, operation: &'d Value) -> Self {
        let root = Document(document);
        let lists = [item, operation].into_iter();
        let lists = lists.filter_map(|part| part.get("parameters")?.as_array());
        let parameters = lists.flatten().filter_map(|parameter| {
            let parameter = root.resolve(parameter)?;
            let place = parameter.get("in").and_then(Value::as_str);
            let is_sent = matches!(place, Some("query" | "path"));
            let name = parameter.get("name")?.as_str().filter(|_| is_sent)?;
            let own = parameter.get("schema");
            let schema = own.or_else(|| contents(parameter).next())?;
            Some((steps(name), schema))
        });
        let parameters = parameters.collect();
        let body = operation.get("requestBody");
        let body = body.and_then(|body| root.resolve(body));
        let answers = operation.get("responses").and_then(Value::as_object);
        let answers = answers.into_iter().flatten();
        // Error responses have no fields of the operation.
        let answers = answers.filter(|(status, _)| !status.starts_with(['4', '5']));
        let answers = answers.filter_map(|(_, answer)| root.resolve(answer));
        Self {
            parameters,
            bodies: body.into_iter().flat_map(contents).collect(),
            answers: answers.flat_map(contents).collect(),
            document: root,
        }
    }

    fn outcome(&self, endpoint: &Endpoint, touch: &Touch) -> Option<(Certainty, String)> {
        match &touch.site {
            Site::Operation(_) => Some((Certainty::Certain, "the whole operation".to_owned())),
            Site::Parameter { name, value, .. } => {
                let schemas = self.parameter(endpoint, name);
                self.parameter_outcome(&schemas, name, value.as_ref(), &touch.effect)
            }
            Site::Field { path, value, .. } => {
                let answers = self.answers.iter();
                let schemas = answers.flat_map(|answer| self.document.find(answer, path));
                let schemas: Vec<&Value> = schemas.collect();
                let shown = shown("the field", &path.join("."), value.as_ref());
                let certainty = self.certainty(&schemas, value.as_ref())?;
                Some((certainty, format!("{shown} of the response")))
            }
            Site::Graphql(_) | Site::Pages(_) | Site::Behaviour(_) => None,
        }
    }

    /// Schemas of a parameter.
    fn parameter(&self, endpoint: &Endpoint, name: &str) -> Vec<&'d Value> {
        let path = steps(name);
        // Path parameters may have other names in a document, so they cannot be looked up by the record's name.
        let is_in_path = endpoint
            .path()
            .split('/')
            .any(|it| it.strip_prefix(':') == Some(name));
        let own = self.parameters.iter().filter(|_| !is_in_path);
        let own = own.flat_map(|(own, schema)| {
            // A parameter may be an object, and the record may be about its members.
            let rest = path.strip_prefix(own.as_slice());
            rest.map(|rest| self.document.find(schema, rest))
                .unwrap_or_default()
        });
        let bodies = self.bodies.iter();
        own.chain(bodies.flat_map(|body| self.document.find(body, &path)))
            .collect()
    }

    fn parameter_outcome(
        &self,
        schemas: &[&'d Value],
        name: &str,
        value: Option<&Value>,
        effect: &Effect,
    ) -> Option<(Certainty, String)> {
        let shown = shown("the parameter", name, value);
        let certainty = self.certainty(schemas, value)?;
        let resolved = || {
            schemas
                .iter()
                .filter_map(|schema| self.document.resolve(schema))
        };
        let unclear = |detail: String| Some((Certainty::CannotTell, detail));
        match effect {
            Effect::AtMost(most) => {
                let is_bound = |it: &Value| bound(it, "maxLength").is_some_and(|it| it <= *most);
                let detail = format!("{shown}, which may be longer than {most} characters");
                unclear(detail).filter(|_| !resolved().all(is_bound))
            }
            Effect::AtLeast(least) => {
                let is_bound = |it: &Value| bound(it, "minLength").is_some_and(|it| it >= *least);
                let detail = format!("{shown}, which may be shorter than {least} characters");
                unclear(detail).filter(|_| !resolved().all(is_bound))
            }
            Effect::Needs(pairing) => unclear(format!("{shown}, which needs {}", needs(pairing))),
            _ => Some((certainty, shown)),
        }
    }

    /// Certainty that one of these schemas allows a value; `None` if none does.
    fn certainty(&self, schemas: &[&'d Value], value: Option<&Value>) -> Option<Certainty> {
        let has = |schema: &&'d Value| {
            value.map_or(FieldPresence::Yes, |it| self.document.has(schema, it))
        };
        match schemas.iter().map(has).max()? {
            FieldPresence::Yes => Some(Certainty::Certain),
            FieldPresence::Maybe => Some(Certainty::CannotTell),
            FieldPresence::No => None,
        }
    }
}

/// Schemas of a body, one for each media type.
fn contents(body: &Value) -> impl Iterator<Item = &Value> {
    let types = body.get("content").and_then(Value::as_object);
    let types = types.into_iter().flat_map(serde_json::Map::values);
    types.filter_map(|content| content.get("schema"))
}
