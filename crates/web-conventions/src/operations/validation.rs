//! Validation of request parameters against those that the operation declares.
//!
//! A parameter that would change something is never ignored, because clients act on responses. A `POST`, `PUT` or
//! `PATCH` with an undeclared name is refused, and so is a list with a filter that the API has and the operation does
//! not support. Handlers cannot forget this, and cannot read an undeclared name.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use actix_web::http::Method;
use actix_web::{HttpMessage as _, HttpRequest};
use api_conventions::error::ApiError;
use api_conventions::params::{DeclaredNames, Params};
use api_conventions::reference::decode_segment;
use schemars::{Schema, SchemaGenerator};
use serde_json::{Map, Value};

use super::access::Access;
use super::declaration::{Content, Declaration, Pages};
use super::parameter::{Location, Parameter, ParameterKind};
use super::releases::adapt_params;
use super::router::RouteMatch;

/// Names that every operation accepts.
const COMMON_PARAMETERS: [&str; 6] = [
    "access_token",
    "page",
    "pagination",
    "per_page",
    "private_token",
    "sudo",
];

/// Methods of operations that create or change something.
const WRITE_METHODS: [Method; 3] = [Method::POST, Method::PUT, Method::PATCH];

/// Maximum number of names in a refusal, and of characters of each.
const MAX_NAMES_IN_ERROR: usize = 10;
const MAX_NAME_CHARACTERS: usize = 80;

/// A filter that the API has and an operation does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnsupportedFilter {
    /// Boolean filter, which narrows the list only if it is true.
    Flag(&'static str),
    /// Filter that narrows the list by any value.
    Value(&'static str),
}

impl UnsupportedFilter {
    /// Returns the name of the filter.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag(name) | Self::Value(name) => name,
        }
    }
}

/// Names of the fields in the JSON responses of an operation. They are computed when the first request needs them:
/// very few do, and the schemas of all operations take half of the time of a start.
#[derive(Debug, Default)]
pub(super) struct ResponseFields(OnceCell<BTreeSet<String>>);

impl ResponseFields {
    /// True if a response of the operation, which is always the same one, has a field of this name.
    fn contain(&self, declaration: &Declaration, name: &str) -> bool {
        let fields = self.0.get_or_init(|| declaration.response_fields());
        fields.contains(name)
    }
}

/// Parameters of a request in the form that its handler reads.
#[derive(Debug)]
pub struct ValidatedParams {
    /// Parameters. Undeclared ones cannot be read.
    pub params: Params,
    /// Refusal of parameters that the operation does not accept. Callers without permission get their own refusal
    /// first.
    pub refusal: Option<ApiError>,
}

/// Adapts and validates the parameters of a request for its handler. Call it once per request.
///
/// # Errors
/// 400 for parameters that the edition of the request does not accept.
pub fn validate_params(request: &HttpRequest, params: Params) -> Result<ValidatedParams, ApiError> {
    let matched = request.extensions().get::<RouteMatch>().cloned();
    let found = matched.and_then(|it| Some((it.declaration?, it.names?, it.response_fields)));
    let Some((declaration, names, response)) = found else {
        let (params, refusal) = (adapt_params(request, params)?, None);
        return Ok(ValidatedParams { params, refusal });
    };
    let wrong = invalid_enum_values(&declaration.parameters, &params);
    let params = adapt_params(request, params)?;
    // A release may remove a parameter before its handler could refuse the value.
    let gone = wrong.into_iter().filter(|name| params.get(name).is_none());
    let faults: Vec<String> = gone
        .map(|name| format!("{name} does not have a valid value"))
        .collect();
    let refusal = if faults.is_empty() {
        check(request, &declaration, &names, &response, &params).err()
    } else {
        Some(ApiError::invalid_parameters(&faults))
    };
    let params = params.of_declared(names);
    Ok(ValidatedParams { params, refusal })
}

/// Returns the names of enumerated parameters that were sent with another text.
fn invalid_enum_values(parameters: &[Parameter], params: &Params) -> Vec<&'static str> {
    let is_wrong = |parameter: &&Parameter| {
        let ParameterKind::Word(words) = parameter.kind else {
            return false;
        };
        let text = params.get(parameter.name).and_then(Value::as_str);
        text.is_some_and(|text| !text.is_empty() && !words.contains(&text))
    };
    let wrong = parameters.iter().filter(is_wrong);
    wrong.map(|parameter| parameter.name).collect()
}

fn check(
    request: &HttpRequest,
    declaration: &Declaration,
    names: &DeclaredNames,
    response: &ResponseFields,
    params: &Params,
) -> Result<(), ApiError> {
    refuse_unsupported_filters(&declaration.unsupported_filters, params)?;
    if !WRITE_METHODS.contains(&declaration.method) {
        return Ok(());
    }
    let is_repeated =
        |name: &str, value: &Value| repeats_the_response(declaration, response, name, value);
    refuse_undeclared(request, names, is_repeated, params)?;
    if declaration.method == Method::POST {
        return Ok(());
    }
    require_change(&declaration.parameters, params)
}

/// Refuses filters that the API has and that are not built, for pages with the filters of an API list.
///
/// # Errors
/// 400 with their names.
pub fn refuse_unsupported_filters(
    filters: &[UnsupportedFilter],
    params: &Params,
) -> Result<(), ApiError> {
    let mut read = params.reader();
    for filter in filters {
        let narrows = match filter {
            UnsupportedFilter::Flag(name) => read.boolean(name) == Some(true),
            UnsupportedFilter::Value(name) => {
                params.get(name).is_some_and(|value| !is_nothing(value))
            }
        };
        if narrows {
            let problem = "is a filter that this server does not support: leave it out";
            read.fault(filter.name(), problem);
        }
    }
    read.finish()
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value == ""
}

fn refuse_undeclared(
    request: &HttpRequest,
    names: &DeclaredNames,
    is_repeated: impl Fn(&str, &Value) -> bool,
    params: &Params,
) -> Result<(), ApiError> {
    let undeclared = params.names().flat_map(|name| {
        let value = params.get(name).unwrap_or(&Value::Null);
        let is_taken = value.is_null()
            || COMMON_PARAMETERS.contains(&name)
            || !names.has(name)
                && (repeats_the_path(request, name, value) || is_repeated(name, value));
        if is_taken {
            return Vec::new();
        }
        if !names.has(name) {
            return vec![name.to_owned()];
        }
        match (value, names.inside(name)) {
            (Value::Object(members), Some(inside)) => {
                let others = members.keys().filter(|member| !inside.has(member));
                others.map(|member| format!("{name}[{member}]")).collect()
            }
            _ => Vec::new(),
        }
    });
    let faults: Vec<String> = undeclared
        .take(MAX_NAMES_IN_ERROR)
        .map(|name| {
            let name: String = name.chars().take(MAX_NAME_CHARACTERS).collect();
            format!("{name} is not a parameter of this request: leave it out")
        })
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid_parameters(&faults))
}

/// True if a client repeats a value of the path in the body, such as the id of a project, under its name in the path or
/// under another name of an id.
fn repeats_the_path(request: &HttpRequest, name: &str, value: &Value) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return false,
    };
    let is_id = ["id", "iid"].contains(&name) || name.ends_with("_id") || name.ends_with("_iid");
    let mut segments = request.match_info().iter();
    segments.any(|(parameter, segment)| {
        (is_id || parameter == name) && decode_segment(segment).as_deref() == Some(&text)
    })
}

/// True if a client sends back a list or an object of the response unchanged. python-gitlab does this for each of them
/// whenever it saves an object, such as the `assignees` of an issue, and intends no change.
fn repeats_the_response(
    declaration: &Declaration,
    response: &ResponseFields,
    name: &str,
    value: &Value,
) -> bool {
    (value.is_array() || value.is_object()) && response.contain(declaration, name)
}

/// Refuses an update that changes nothing.
fn require_change(parameters: &[Parameter], params: &Params) -> Result<(), ApiError> {
    let fields = parameters
        .iter()
        .filter(|parameter| matches!(parameter.location, Location::Body | Location::Form));
    let names: Vec<&'static str> = fields.map(|parameter| parameter.name).collect();
    if names.is_empty()
        || parameters
            .iter()
            .any(|parameter| parameter.is_required && names.contains(&parameter.name))
    {
        return Ok(());
    }
    let mut read = params.reader();
    read.demand_one_of(&names);
    read.finish()
}

impl Declaration {
    /// Returns the names of the fields in JSON responses.
    fn response_fields(&self) -> BTreeSet<String> {
        let mut schemas = SchemaGenerator::default();
        let bodies = self
            .responses
            .iter()
            .filter_map(|answer| match answer.content {
                Content::Of(body) => Some((body.schema)(&mut schemas)),
                Content::Empty | Content::Refusal => None,
            });
        let bodies: Vec<Schema> = bodies.collect();
        let shared = schemas.take_definitions(true);
        let mut found = BTreeSet::new();
        for body in &bodies {
            collect_fields(body.as_value(), &shared, 0, &mut found);
        }
        found
    }

    /// Returns the names that a handler may read; `None` if the body is not a set of parameters, or if this is no
    /// operation of the API.
    pub(super) fn names(&self) -> Option<DeclaredNames> {
        if self.body.is_some() || !matches!(self.access, Access::Api { .. }) {
            return None;
        }
        let in_parameters = |parameter: &&Parameter| {
            !matches!(parameter.location, Location::Path | Location::Header)
        };
        let own = self.parameters.iter().filter(in_parameters);
        let own = own.map(|parameter| parameter.name);
        let paging: &[&str] = match self.pages {
            Pages::None => &[],
            Pages::Offset | Pages::OffsetAndKeyset => &["page", "per_page", "pagination"],
        };
        Some(DeclaredNames::new(own.chain(paging.iter().copied())))
    }
}

/// Collects the names of the fields of an object, from all parts of its schema.
fn collect_fields(
    schema: &Value,
    shared: &Map<String, Value>,
    depth: usize,
    found: &mut BTreeSet<String>,
) {
    const MAX_DEPTH: usize = 8;
    if depth > MAX_DEPTH {
        return;
    }
    let properties = schema.get("properties").and_then(Value::as_object);
    found.extend(properties.into_iter().flat_map(Map::keys).cloned());
    let name = schema.get("$ref").and_then(Value::as_str);
    let name = name.and_then(|reference| reference.rsplit('/').next());
    let referenced = name.and_then(|name| shared.get(name)).into_iter();
    let parts = ["allOf", "anyOf", "oneOf"].into_iter();
    let parts = parts
        .filter_map(|part| schema.get(part)?.as_array())
        .flatten();
    for part in referenced.chain(parts) {
        collect_fields(part, shared, depth + 1, found);
    }
}
