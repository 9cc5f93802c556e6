//! Details of a stored payload beyond the columns of an alert, parsed on demand.

mod attributes;
mod flattened;

use serde_json::Value;
use url::Url;

use super::exact::ExactJson;
use crate::model::Source;

pub use flattened::FlattenedPayload;

/// Fields of an alert's detail view besides the alert itself.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Details {
    /// Payload flattened to one level.
    pub flattened: FlattenedPayload,
    /// Payload as it was sent, as far as JSON preserves it.
    pub payload: ExactJson,
    /// Link to a runbook.
    pub runbook: Option<String>,
    /// Query of the metric.
    pub metric_query: Option<String>,
    /// Label of the metric's y-axis.
    pub y_label: Option<String>,
    /// Markdown for an incident created from the alert.
    pub incident_markdown: Option<String>,
    /// Labels with their values, sorted by name.
    pub labels: Vec<(String, String)>,
    /// Annotations with their values, sorted by name.
    pub annotations: Vec<(String, String)>,
    /// Web links anywhere in the payload, with the names of their fields, each link once.
    pub links: Vec<(String, String)>,
    /// Link to the source of the alert. Only web links are returned, because a sender may write anything.
    pub generator_url: Option<String>,
}

/// Parses the details of a payload. `service_word` is the configured service word, accepted in names besides `service`
/// and the word that existing senders use.
pub fn of(payload: &str, source: Source, service_word: &str) -> Details {
    let Ok(payload) = ExactJson::parse(payload) else {
        return Details::default();
    };
    let details = match source {
        Source::Generic => Details {
            runbook: runbook(payload.tree()),
            ..Details::default()
        },
        Source::Metrics => of_metrics(payload.tree(), service_word),
    };
    Details {
        flattened: FlattenedPayload::of(payload.tree()),
        labels: labels_in(payload.tree()),
        annotations: annotations_in(payload.tree()),
        links: attributes::links(payload.tree()),
        payload,
        ..details
    }
}

/// Returns the labels of a payload with their values, sorted by name.
pub(super) fn labels_in(payload: &Value) -> Vec<(String, String)> {
    attributes::of(payload, "labels")
}

/// Returns the annotations of a payload with their values, sorted by name.
pub(super) fn annotations_in(payload: &Value) -> Vec<(String, String)> {
    attributes::of(payload, "annotations")
}

/// Returns the link of a payload to the source of the alert. Only web links are returned, because a sender may write
/// anything.
pub(super) fn generator_url_in(payload: &Value) -> Option<String> {
    link(payload, &["generatorURL"])
}

/// Parses a payload as JSON; `null` if it is not JSON.
pub fn payload_of(payload: &str) -> ExactJson {
    ExactJson::parse(payload).unwrap_or_default()
}

fn of_metrics(item: &Value, service_word: &str) -> Details {
    let branded = |rest: &str| {
        let words = ["service", service_word, "gitlab"];
        words
            .iter()
            .find_map(|word| text(item, &["annotations", &format!("{word}_{rest}")]))
    };
    // The specification's order; a blank text counts as missing.
    let y_label = branded("y_label")
        .or_else(|| text(item, &["annotations", "title"]))
        .or_else(|| text(item, &["annotations", "summary"]))
        .or_else(|| text(item, &["labels", "alertname"]));
    let generator_url = generator_url_in(item);
    Details {
        runbook: item.get("annotations").and_then(runbook),
        metric_query: generator_url.as_deref().and_then(query_of),
        y_label,
        incident_markdown: branded("incident_markdown"),
        generator_url,
        ..Details::default()
    }
}

/// Field names of the runbook link: the specification's, and the one that most Prometheus rules use.
const RUNBOOKS: [&str; 2] = ["runbook", "runbook_url"];

/// Returns the first runbook link that is safe to follow.
fn runbook(attributes: &Value) -> Option<String> {
    RUNBOOKS.iter().find_map(|name| link(attributes, &[name]))
}

/// Returns the text at a path of names, unless it is blank.
fn text(payload: &Value, path: &[&str]) -> Option<String> {
    let value = path
        .iter()
        .try_fold(payload, |value, name| value.get(name))?;
    value
        .as_str()
        .filter(|text| !text.trim().is_empty())
        .map(str::to_owned)
}

/// Returns the link at a path of names, if it is safe to follow.
fn link(payload: &Value, path: &[&str]) -> Option<String> {
    text(payload, path).filter(|link| is_web_link(link))
}

/// True if a link is safe to follow from a page: an absolute `http` or `https` URL.
pub(crate) fn is_web_link(link: &str) -> bool {
    Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// Returns the parameter `g0.expr` of a generator URL.
fn query_of(generator: &str) -> Option<String> {
    let url = Url::parse(generator).ok()?;
    let found = url.query_pairs().find(|(name, _)| name == "g0.expr");
    found
        .map(|(_, value)| value.into_owned())
        .filter(|query| !query.is_empty())
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
            json!(details.flattened),
            json!({"a.b.c": 1, "a.d": [{"e": 2}], "runbook": "https://r"})
        );
        assert_eq!(details.runbook.as_deref(), Some("https://r"));
    }

    #[test]
    fn details_of_a_metrics_item_include_query_and_axis_label() {
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
    fn a_runbook_has_either_name_and_may_be_followed() {
        for (attributes, expected) in [
            (json!({"runbook_url": "https://r/1"}), Some("https://r/1")),
            (
                json!({"runbook": "https://r/2", "runbook_url": "https://r/1"}),
                Some("https://r/2"),
            ),
            (
                json!({"runbook": "see the wiki", "runbook_url": "https://r/1"}),
                Some("https://r/1"),
            ),
            (json!({"runbook_url": "javascript:alert(1)"}), None),
            (json!({"runbook_url": ["https://r/1"]}), None),
        ] {
            let generic = of(&attributes.to_string(), Source::Generic, "service");
            assert_eq!(generic.runbook.as_deref(), expected, "{attributes}");
            let item = json!({ "annotations": attributes });
            let metrics = of(&item.to_string(), Source::Metrics, "service");
            assert_eq!(metrics.runbook.as_deref(), expected, "{item}");
        }
    }

    #[test]
    fn a_blank_text_falls_through_to_the_next_that_labels_the_axis() {
        let label = |annotations: &Value| {
            let item = json!({ "labels": {"alertname": "Up"}, "annotations": annotations });
            of(&item.to_string(), Source::Metrics, "acme").y_label
        };
        for (annotations, expected) in [
            (
                json!({"acme_y_label": " ", "title": "", "summary": "s"}),
                "s",
            ),
            (json!({"title": "", "summary": " "}), "Up"),
            (json!({"title": "t", "summary": "s"}), "t"),
            (
                json!({"service_y_label": "", "gitlab_y_label": "y", "title": "t"}),
                "y",
            ),
            (json!({"title": 7}), "Up"),
        ] {
            assert_eq!(
                label(&annotations).as_deref(),
                Some(expected),
                "{annotations}"
            );
        }
    }

    #[test]
    fn a_name_that_looks_like_a_path_has_no_meaning() {
        let body = r#"{"annotations.title":"no","annotations":{"title":"yes"}}"#;
        let details = of(body, Source::Metrics, "service");
        assert_eq!(details.y_label.as_deref(), Some("yes"));
    }

    #[test]
    fn unreadable_payloads_have_no_details() {
        let list = of("[1]", Source::Generic, "service");
        assert_eq!(list.flattened, FlattenedPayload::default());
        assert_eq!(of("{", Source::Metrics, "service"), Details::default());
    }
}
