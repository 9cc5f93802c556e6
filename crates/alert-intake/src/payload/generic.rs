//! The generic payload: any JSON object, with a few recognized fields.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::environment::{self, names_environment};
use super::item::{ParsedAlert, timestamp};
use super::lenient::{FieldName, IgnoredValue, LenientValue};
use super::metrics::ShapeCheck;
use super::{ParseContext, PayloadError, refuse};
use crate::model::{AlertIdentity, IncomingAlert, SenderContext, Source};
use crate::rules::exact::ExactJson;
use crate::rules::{identity, severity};

/// Content of a body received at a generic endpoint.
pub(super) enum GenericBody {
    /// A generic alert.
    Alert(Box<IncomingAlert>),
    /// A metrics webhook.
    MetricsShape,
}

/// The recognized fields.
#[derive(Default)]
struct Fields<'b> {
    title: LenientValue<'b>,
    description: LenientValue<'b>,
    start_time: LenientValue<'b>,
    end_time: LenientValue<'b>,
    service: LenientValue<'b>,
    monitoring_tool: LenientValue<'b>,
    hosts: LenientValue<'b>,
    severity: LenientValue<'b>,
    fingerprint: LenientValue<'b>,
    /// Fields that may hold the environment, by name.
    environments: Vec<(Cow<'b, str>, LenientValue<'b>)>,
    shape: ShapeCheck,
}

impl Fields<'_> {
    /// Returns the text of an environment field; for a repeated name, the last one.
    fn environment(&self, name: &str) -> Option<&str> {
        let named = self.environments.iter().rev();
        let mut named = named.filter(|(candidate, _)| candidate == name);
        named.next().and_then(|(_, value)| value.text())
    }
}

/// Parses a body.
pub(super) fn read(
    text: &str,
    context: &ParseContext,
    sender: &mut SenderContext,
) -> Result<GenericBody, PayloadError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = FieldsSeed {
        service_word: &context.service_word,
    };
    let fields = seed
        .deserialize(&mut deserializer)
        .and_then(|fields| deserializer.end().map(|()| fields))
        .map_err(|error| refuse(text, error))?;
    if fields.shape.is_metrics() {
        return Ok(GenericBody::MetricsShape);
    }
    let notes = &mut sender.notes;
    let resolved_at = timestamp(&fields.end_time, "end_time", notes);
    let found = ParsedAlert {
        identity: identity_of(&fields, text, context)?,
        source: Source::Generic,
        title: fields.title.text(),
        description: fields.description.text(),
        severity: severity::of_generic(fields.severity.text()),
        service: fields.service.text(),
        monitoring_tool: fields.monitoring_tool.text(),
        hosts: fields.hosts.texts(),
        environment_name: environment::find(&context.service_word, |name| fields.environment(name)),
        started_at: timestamp(&fields.start_time, "start_time", notes),
        resolved_at,
        payload: text,
    };
    Ok(GenericBody::Alert(Box::new(found.into_alert())))
}

fn identity_of(
    fields: &Fields<'_>,
    text: &str,
    context: &ParseContext,
) -> Result<AlertIdentity, PayloadError> {
    let integration = context.integration_id;
    if let Some(identity) = identity::of_fingerprint(integration, &fields.fingerprint.texts()) {
        return Ok(identity);
    }
    let payload = ExactJson::parse(text).map_err(PayloadError::Malformed)?;
    let whole = identity::of_payload(integration, payload.tree());
    Ok(whole.unwrap_or_else(|| identity::unique(integration, &context.nonce, 0)))
}

struct FieldsSeed<'w> {
    service_word: &'w str,
}

impl<'de> DeserializeSeed<'de> for FieldsSeed<'_> {
    type Value = Fields<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldsSeed<'_> {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(FieldName(name)) = map.next_key()? {
            let slot = match name.as_ref() {
                "title" => &mut fields.title,
                "description" => &mut fields.description,
                "start_time" => &mut fields.start_time,
                "end_time" => &mut fields.end_time,
                "service" => &mut fields.service,
                "monitoring_tool" => &mut fields.monitoring_tool,
                "hosts" => &mut fields.hosts,
                "severity" => &mut fields.severity,
                "fingerprint" => &mut fields.fingerprint,
                "version" => {
                    fields.shape.version(map.next_value()?);
                    continue;
                }
                other if names_environment(other, self.service_word) => {
                    fields.environments.push((name, map.next_value()?));
                    continue;
                }
                other => {
                    fields.shape.key(other);
                    map.next_value::<IgnoredValue>()?;
                    continue;
                }
            };
            *slot = map.next_value()?;
        }
        Ok(fields)
    }
}
