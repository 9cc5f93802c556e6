//! Parameters of operations on alert endpoints.

use std::collections::BTreeMap;

use alert_intake::flow::integrations::IntegrationUpdate;
use alert_intake::model::{
    AlertField, FieldMapping, HeartbeatRule, IntegrationSettings, MappedField, NewIntegration,
    SettingsError, SeverityTable, Source,
};
use alert_intake::rules::mapping::{parse_path, parse_table};
use alert_intake::wire::parse_kind;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use api_conventions::params::Params;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use serde_json::Value;
use web_conventions::operations::{Parameter, ParameterKind};

use crate::frame::api::ApiRequest;

pub(super) const NAME: Parameter = Parameter::body(
    "name",
    ParameterKind::Text { min: 1, max: 255 },
    "Name of the endpoint.",
)
.example("Uptime Kuma");

pub(super) const ACTIVE: Parameter = Parameter::body(
    "active",
    ParameterKind::Boolean,
    "True if the endpoint accepts alerts (default: true).",
);

pub(super) const IGNORED_LABELS: Parameter = Parameter::body(
    "ignored_labels",
    ParameterKind::Texts,
    "Names of labels and of top-level fields that do not distinguish alerts, such as `prometheus_replica`.",
);

pub(super) const SEVERITIES: Parameter = Parameter::body(
    "severities",
    ParameterKind::Objects(&["word", "severity"]),
    "Severities of the sender's words, before the usual ones.",
);

pub(super) const MAPPINGS: Parameter = Parameter::body(
    "payload_attribute_mappings",
    ParameterKind::Objects(&["field_name", "path", "values"]),
    "Places of the alert's fields in the payload; the first of several for one field counts. `path` has names and \
     item numbers, as in `check.hosts[0]`. `values` replaces words, as in `red=high, green=info`.",
);

pub(super) const LOWER_SEVERITY: Parameter = Parameter::body(
    "lower_severity",
    ParameterKind::Boolean,
    "True if a lower severity in a newer report lowers that of an open alert (default: false). A higher one always raises it.",
);

pub(super) const STALE_AFTER: Parameter = Parameter::body(
    "stale_after",
    ParameterKind::Integer {
        min: 0,
        max: MAX_STALE,
    },
    "Minutes without a report after which an open alert counts as stale; 0 for never (default).",
);

pub(super) const REQUESTS_PER_MINUTE: Parameter = Parameter::body(
    "requests_per_minute",
    ParameterKind::Integer {
        min: 0,
        max: MAX_REQUESTS,
    },
    "Largest number of requests that the endpoint takes in a minute; 0 for any number (default). Further ones get 429.",
);

pub(super) const KEY_MANAGES: Parameter = Parameter::body(
    "key_manages",
    ParameterKind::Boolean,
    "True if the key of the endpoint also reads the alerts of the project and manages its silences, over Alertmanager's API \
     (default: false).",
);

pub(super) const HEARTBEAT_INTERVAL: Parameter = Parameter::body(
    "heartbeat_interval",
    ParameterKind::Integer {
        min: 0,
        max: MAX_HEARTBEAT,
    },
    "Seconds between two heartbeats of an endpoint that expects signs of life instead of alerts; 0 for an endpoint that takes \
     alerts (default).",
);

pub(super) const HEARTBEAT_GRACE: Parameter = Parameter::body(
    "heartbeat_grace",
    ParameterKind::Integer {
        min: 0,
        max: MAX_HEARTBEAT,
    },
    "Seconds for which a heartbeat may be late (default: the interval).",
);

const MAX_HEARTBEAT: i64 = HeartbeatRule::MAX_SECONDS as i64;
const MAX_REQUESTS: i64 = IntegrationSettings::MAX_REQUESTS as i64;
const MAX_STALE: i64 = IntegrationSettings::MAX_STALE as i64;

/// Reads the values of an endpoint. A value that is not given is `None`.
fn read_values(params: &Params) -> Result<IntegrationUpdate, ApiError> {
    let mut read = params.reader();
    let is_given = read.is_given(IGNORED_LABELS.name);
    let labels = read.texts(IGNORED_LABELS.name);
    let (name, active) = (read.text(NAME.name), read.boolean(ACTIVE.name));
    let lowers_severity = read.boolean(LOWER_SEVERITY.name);
    let stale_after = read.integer_within(STALE_AFTER.name, 0..=MAX_STALE);
    let requests = read.integer_within(REQUESTS_PER_MINUTE.name, 0..=MAX_REQUESTS);
    let key_manages = read.boolean(KEY_MANAGES.name);
    let interval = read.integer_within(HEARTBEAT_INTERVAL.name, 0..=MAX_HEARTBEAT);
    let grace = read.integer_within(HEARTBEAT_GRACE.name, 0..=MAX_HEARTBEAT);
    read.finish()?;
    let unless_zero = |number: i64| u32::try_from(number).ok().filter(|number| *number > 0);
    Ok(IntegrationUpdate {
        name,
        active,
        lowers_severity,
        stale_after: stale_after.map(unless_zero),
        requests_per_minute: requests.map(unless_zero),
        key_manages,
        heartbeat_interval: interval.map(unless_zero),
        heartbeat_grace: grace.and_then(|seconds| u32::try_from(seconds).ok()),
        ignored_labels: is_given.then_some(labels),
        severities: objects(params, SEVERITIES.name)?
            .map(|words| severities(&words))
            .transpose()?,
        mapping: objects(params, MAPPINGS.name)?
            .map(|entries| mapping(&entries))
            .transpose()?,
    })
}

/// Parses the values of an update.
///
/// # Errors
/// 400 for an invalid value, or if there is none.
pub(super) fn read_update(request: &ApiRequest) -> Result<IntegrationUpdate, ApiError> {
    let mut read = request.params().reader();
    read.demand_one_of(&[
        NAME.name,
        ACTIVE.name,
        IGNORED_LABELS.name,
        SEVERITIES.name,
        MAPPINGS.name,
        LOWER_SEVERITY.name,
        STALE_AFTER.name,
        REQUESTS_PER_MINUTE.name,
        KEY_MANAGES.name,
        HEARTBEAT_INTERVAL.name,
        HEARTBEAT_GRACE.name,
    ]);
    read.finish()?;
    read_values(request.params())
}

/// Endpoint to create, in any project.
#[derive(Debug, Clone)]
pub(super) struct EndpointToCreate {
    source: Source,
    values: IntegrationUpdate,
    identifier: String,
    key: SecretDigest,
    now: Timestamp,
}

impl EndpointToCreate {
    /// Returns the endpoint in a project.
    pub(super) fn in_project(&self, project_id: ProjectId) -> NewIntegration {
        NewIntegration {
            project_id,
            source: self.source,
            name: self.values.name.clone().unwrap_or_default(),
            endpoint_identifier: self.identifier.clone(),
            active: self.values.active.unwrap_or(true),
            key: self.key,
            settings: self.values.settings(&IntegrationSettings::default()),
            created_at: self.now,
        }
    }
}

/// Parses an endpoint to create, whose key has this digest.
///
/// # Errors
/// 400 for a missing or invalid value.
pub(super) fn read_new(
    request: &ApiRequest,
    key: SecretDigest,
) -> Result<EndpointToCreate, ApiError> {
    let mut read = request.params().reader();
    read.demand(&[NAME.name]);
    let source = read.word("type", parse_kind);
    read.finish()?;
    let values = read_values(request.params())?;
    if values.heartbeat_grace.is_some() && values.heartbeat_interval.flatten().is_none() {
        return Err(ApiError::bad_request(
            &SettingsError::GraceAlone.to_string(),
        ));
    }
    Ok(EndpointToCreate {
        source: source.unwrap_or(Source::Generic),
        values,
        identifier: new_identifier(),
        key,
        now: request.now(),
    })
}

/// Generates the identifier of an endpoint: 16 hexadecimal digits.
pub(super) fn new_identifier() -> String {
    let digits = uuid::Uuid::new_v4().simple().to_string();
    // Digits 13 and 17 of a random UUID are fixed.
    let last: String = digits.chars().skip(28).collect();
    format!("{digits:.12}{last}")
}

/// Returns the objects of a list parameter; `None` if it was not given, and an empty list for `null`.
fn objects(params: &Params, name: &str) -> Result<Option<Vec<Params>>, ApiError> {
    let invalid = || ApiError::invalid_parameters(&[format!("{name} is invalid")]);
    match params.get(name) {
        None => Ok(None),
        Some(Value::Null) => Ok(Some(Vec::new())),
        Some(Value::Array(items)) => {
            let object = |item: &Value| match item {
                Value::Object(fields) => Ok(Params::from_map(fields.clone())),
                _ => Err(invalid()),
            };
            items.iter().map(object).collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(invalid()),
    }
}

fn severities(words: &[Params]) -> Result<SeverityTable, ApiError> {
    let mut table = BTreeMap::new();
    for entry in words {
        let mut read = entry.reader();
        read.demand(&["word", "severity"]);
        let (word, severity) = (read.text("word"), read.text("severity"));
        read.finish()?;
        table.insert(word.unwrap_or_default(), severity.unwrap_or_default());
    }
    SeverityTable::try_from(table).map_err(|error| ApiError::bad_request(&error.to_string()))
}

fn mapping(entries: &[Params]) -> Result<FieldMapping, ApiError> {
    let entry = |entry: &Params| {
        let mut read = entry.reader();
        read.demand(&["field_name", "path"]);
        let field = read.word("field_name", AlertField::parse);
        let path = read.word("path", parse_path);
        let values = read.word("values", parse_table);
        read.finish()?;
        let unusable = || ApiError::invalid_parameters(&[format!("{} is invalid", MAPPINGS.name)]);
        Ok(MappedField {
            field: field.ok_or_else(unusable)?,
            path: path.ok_or_else(unusable)?,
            values: values.unwrap_or_default(),
        })
    };
    entries
        .iter()
        .map(entry)
        .collect::<Result<_, _>>()
        .map(FieldMapping)
}
