//! What a stored payload tells beyond the columns of an alert, read when somebody looks at it.

use serde_json::{Map, Value};
use url::Url;

use crate::model::Source;

/// What the detail view of an alert shows besides the alert itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// The payload in one level: nested names joined by `.`, lists as they are.
    pub flattened: Map<String, Value>,
    /// A link to instructions.
    pub runbook: Option<String>,
    /// The query of the metric.
    pub metric_query: Option<String>,
    /// The label of the y-axis of the metric.
    pub y_label: Option<String>,
    /// Markdown for an incident made from the alert.
    pub incident_markdown: Option<String>,
    /// Where the alert was made. Only links of the web are given: a sender may write anything.
    pub generator_url: Option<String>,
}

/// Reads the details of a payload. `service_word` is the configured word for the service, which is accepted in
/// names beside `service` and the one that existing senders use.
pub fn of(payload: &str, source: Source, service_word: &str) -> Details {
    let Ok(Value::Object(payload)) = serde_json::from_str(payload) else {
        return Details::default();
    };
    let mut flattened = Map::new();
    flatten(&payload, "", &mut flattened);
    let text = |name: &str| {
        flattened
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let first = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| text(name))
            .filter(|text| !text.is_empty())
    };
    let branded = |rest: &str| {
        let words = ["service", service_word, "gitlab"];
        words
            .iter()
            .find_map(|word| text(&format!("annotations.{word}_{rest}")))
    };
    match source {
        Source::Generic => Details {
            runbook: text("runbook").filter(|link| is_web_link(link)),
            ..Details {
                flattened,
                ..Details::default()
            }
        },
        Source::Metrics => {
            let generator = text("generatorURL").filter(|link| is_web_link(link));
            Details {
                runbook: text("annotations.runbook").filter(|link| is_web_link(link)),
                metric_query: generator.as_deref().and_then(query_of),
                y_label: branded("y_label").or_else(|| {
                    first(&[
                        "annotations.title",
                        "annotations.summary",
                        "labels.alertname",
                    ])
                }),
                incident_markdown: branded("incident_markdown"),
                generator_url: generator,
                flattened,
            }
        }
    }
}

/// Whether a link may be followed from a page: an absolute `http` or `https` URL.
fn is_web_link(link: &str) -> bool {
    Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// The parameter `g0.expr` of a generator's URL.
fn query_of(generator: &str) -> Option<String> {
    let url = Url::parse(generator).ok()?;
    let found = url.query_pairs().find(|(name, _)| name == "g0.expr");
    found
        .map(|(_, value)| value.into_owned())
        .filter(|query| !query.is_empty())
}

fn flatten(object: &Map<String, Value>, prefix: &str, into: &mut Map<String, Value>) {
    for (name, value) in object {
        let path = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        match value {
            Value::Object(inner) => flatten(inner, &path, into),
            other => {
                into.insert(path, other.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nested_names_are_joined_and_lists_stay() {
        let details = of(
            r#"{"a":{"b":{"c":1},"d":[{"e":2}]},"runbook":"https://r"}"#,
            Source::Generic,
            "service",
        );
        assert_eq!(
            Value::Object(details.flattened),
            json!({"a.b.c": 1, "a.d": [{"e": 2}], "runbook": "https://r"})
        );
        assert_eq!(details.runbook.as_deref(), Some("https://r"));
    }

    #[test]
    fn a_metrics_item_tells_its_query_and_labels() {
        let item = json!({
            "labels": {"alertname": "Up"},
            "annotations": {"gitlab_incident_markdown": "**help**", "summary": "s", "runbook": "javascript:alert(1)"},
            "generatorURL": "http://prom/graph?g0.expr=up%20%3D%3D%200&g0.tab=1",
        });
        let details = of(&item.to_string(), Source::Metrics, "service");
        assert_eq!(details.metric_query.as_deref(), Some("up == 0"));
        assert_eq!(details.y_label.as_deref(), Some("s"));
        assert_eq!(details.incident_markdown.as_deref(), Some("**help**"));
        assert_eq!(details.runbook, None);
    }

    #[test]
    fn what_cannot_be_read_has_no_details() {
        assert_eq!(of("[1]", Source::Generic, "service"), Details::default());
        assert_eq!(of("{", Source::Metrics, "service"), Details::default());
    }
}
