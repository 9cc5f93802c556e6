//! The generic payload: any JSON object, with a few recognized fields.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::environment::{self, names_environment};
use super::general::{self, GeneralReading};
use super::item::{ParsedAlert, note, timestamp};
use super::lenient::{FieldName, IgnoredValue, LenientValue};
use super::metrics::ShapeCheck;
use super::senders::{self, SenderBody};
use super::{ParseContext, PayloadError, refuse};
use crate::model::{AlertIdentity, IncomingAlert, SenderContext, Severity, Source};
use crate::rules::exact::ExactJson;
use crate::rules::identity;

/// Content of a body received at a generic endpoint.
pub(super) enum GenericBody {
    /// A generic alert.
    Alert(Box<IncomingAlert>),
    /// A metrics webhook.
    MetricsShape,
    /// The body of a recognised sender.
    Sender(SenderBody),
    /// Neither a start nor an end, such as an acknowledgement.
    Nothing,
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
    /// True if another field is one that recognisers and the general rule look at.
    is_hinted: bool,
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
    let fields = fields_of(text, context)?;
    if fields.shape.is_metrics() {
        return Ok(GenericBody::MetricsShape);
    }
    let tree = if fields.is_hinted || fields.fingerprint.texts().is_empty() {
        Some(ExactJson::parse(text).map_err(PayloadError::Malformed)?)
    } else {
        None
    };
    let hinted = tree.as_ref().filter(|_| fields.is_hinted);
    if let Some(known) =
        hinted.and_then(|tree| senders::recognise(tree.tree(), context.severities()))
    {
        return Ok(GenericBody::Sender(known));
    }
    let general = hinted.and_then(|tree| fields.general(tree, context));
    if let Some(general) = &general {
        note(&mut sender.notes, &general.note);
        if general.is_noted() {
            return Ok(GenericBody::Nothing);
        }
    }
    let identity = fields.identity(tree.as_ref(), general.as_ref(), context);
    let alert = fields.alert(text, general.as_ref(), identity, context, &mut sender.notes);
    Ok(GenericBody::Alert(Box::new(alert)))
}

/// Parses the fields of the specification alone, for a body that is no alert without them.
pub(super) fn read_specified(
    text: &str,
    context: &ParseContext,
    notes: &mut Vec<String>,
) -> Result<IncomingAlert, PayloadError> {
    let fields = fields_of(text, context)?;
    let tree = ExactJson::parse(text).map_err(PayloadError::Malformed)?;
    let identity = fields.identity(Some(&tree), None, context);
    Ok(fields.alert(text, None, identity, context, notes))
}

/// True for an object with a field that recognisers and the general rule look at.
pub(super) fn is_hinted(text: &str, context: &ParseContext) -> bool {
    fields_of(text, context).is_ok_and(|fields| fields.is_hinted)
}

fn fields_of<'b>(text: &'b str, context: &ParseContext) -> Result<Fields<'b>, PayloadError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let seed = FieldsSeed {
        service_word: &context.service_word,
    };
    seed.deserialize(&mut deserializer)
        .and_then(|fields| deserializer.end().map(|()| fields))
        .map_err(|error| refuse(text, error))
}

impl Fields<'_> {
    /// Reads what the fields of the specification do not say.
    fn general(&self, tree: &ExactJson, context: &ParseContext) -> Option<GeneralReading> {
        let (title, word) = (self.title.text(), self.severity.text());
        general::read(tree.tree(), title, word, context)
    }

    /// Returns the alert: the fields of the specification, and those of the general rule where they say nothing.
    fn alert(
        &self,
        text: &str,
        general: Option<&GeneralReading>,
        identity: AlertIdentity,
        context: &ParseContext,
        notes: &mut Vec<String>,
    ) -> IncomingAlert {
        let specified_end = timestamp(&self.end_time, "end_time", notes);
        let end = general.and_then(|general| general.end);
        let hosts = self.hosts.texts();
        let word = self.severity.text();
        let found = ParsedAlert {
            identity,
            source: Source::Generic,
            title: self
                .title
                .text()
                .or(general.and_then(|general| general.title.as_deref())),
            description: self
                .description
                .text()
                .or(general.and_then(|general| general.description.as_deref())),
            severity: general.map_or_else(
                || context.severities().of_generic(word),
                |general| general.severity.unwrap_or(Severity::Critical),
            ),
            service: self
                .service
                .text()
                .or(general.and_then(|general| general.service.as_deref())),
            monitoring_tool: self
                .monitoring_tool
                .text()
                .or(general.and_then(|general| general.tool.as_deref())),
            hosts: match general {
                Some(general) if hosts.is_empty() => {
                    general.hosts.iter().map(String::as_str).collect()
                }
                _ => hosts,
            },
            environment_name: environment::find(&context.service_word, |name| {
                self.environment(name)
            })
            .or(general.and_then(|general| general.environment.as_deref())),
            started_at: timestamp(&self.start_time, "start_time", notes)
                .or(general.and_then(|general| general.started_at)),
            resolved_at: specified_end.or(end.map(|end| end.or_receipt(context.received_at))),
            stores_end: end.is_none(),
            payload: text,
        };
        found.into_alert()
    }

    /// Returns the identity: the fingerprint, else that of the general rule, else that of the whole payload.
    fn identity(
        &self,
        tree: Option<&ExactJson>,
        general: Option<&GeneralReading>,
        context: &ParseContext,
    ) -> AlertIdentity {
        let scope = context.identity_scope();
        identity::of_fingerprint(scope, &self.fingerprint.texts())
            .or(general.map(|general| general.identity))
            .or_else(|| tree.and_then(|tree| identity::of_payload(scope, tree.tree())))
            .unwrap_or_else(|| identity::unique(scope, &context.nonce, 0))
    }
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
                    fields.is_hinted = fields.is_hinted || general::is_hint(other);
                    map.next_value::<IgnoredValue>()?;
                    continue;
                }
            };
            *slot = map.next_value()?;
        }
        Ok(fields)
    }
}
