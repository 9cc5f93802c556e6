//! Snippets to paste into alert senders, and sample bodies for test alerts.

use alert_intake::model::Source;

/// Placeholder for the key where it must not be shown.
pub(super) const KEY: &str = "YOUR_KEY";

/// Snippet for a sender, and its title.
pub(super) struct SenderSnippet {
    /// File or tool that the snippet is for.
    pub(super) title: &'static str,
    /// Text to paste.
    pub(super) text: String,
}

/// Snippets that send to `url`, or below `apis`, with `key`; `key` is [`KEY`] unless it was just generated.
pub(super) fn snippets(source: Source, url: &str, apis: &str, key: &str) -> Vec<SenderSnippet> {
    match source {
        Source::Generic => vec![
            SenderSnippet {
                title: "On the command line",
                text: curl(url, key),
            },
            SenderSnippet {
                title: "Clients of PagerDuty and Opsgenie, in alertmanager.yml",
                text: paging(apis, key),
            },
        ],
        Source::Metrics => vec![SenderSnippet {
            title: "In alertmanager.yml",
            text: receiver(url, key, true),
        }],
    }
}

/// Snippets that report signs of life to `url`, or below `apis`, with `key`.
pub(super) fn heartbeat_snippets(url: &str, apis: &str, key: &str) -> Vec<SenderSnippet> {
    vec![
        SenderSnippet {
            title: "At the end of a script",
            text: format!(
                "curl -fsS -m 10 --retry 5 -o /dev/null -H 'Authorization: Bearer {key}' '{apis}/ping'"
            ),
        },
        SenderSnippet {
            title: "For an alert that always fires, in alertmanager.yml",
            text: watchdog(url, key),
        },
    ]
}

/// Route and receiver of an alert that always fires. It is delivered once per `group_interval` only if that is longer than
/// the `repeat_interval`.
fn watchdog(url: &str, key: &str) -> String {
    let route = "route:\n  routes:\n    - matchers: ['alertname = Watchdog']\n      receiver: gatehouse\n      \
                 group_wait: 0s\n      group_interval: 1m\n      repeat_interval: 50s\n";
    format!("{route}{}", receiver(url, key, false))
}

fn curl(url: &str, key: &str) -> String {
    let body = r#"{"title":"Disk full","severity":"high"}"#;
    format!(
        "curl -H 'Authorization: Bearer {key}' \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}' \\\n  '{url}'"
    )
}

fn receiver(url: &str, key: &str, resolved: bool) -> String {
    format!(
        "receivers:\n  - name: gatehouse\n    webhook_configs:\n      - url: '{url}'\n        send_resolved: {resolved}\n        \
         http_config:\n          authorization:\n            type: Bearer\n            credentials: '{key}'"
    )
}

fn paging(apis: &str, key: &str) -> String {
    format!(
        "receivers:\n  - name: pagerduty\n    pagerduty_configs:\n      - url: '{apis}/v2/enqueue'\n        routing_key: '{key}'\n  \
         - name: opsgenie\n    opsgenie_configs:\n      - api_url: '{apis}/'\n        api_key: '{key}'"
    )
}

/// Default body of a test alert.
/// It starts at `now` (RFC 3339), because Alertmanager always sends a start time.
pub(super) fn test_body(source: Source, now: &str) -> String {
    match source {
        Source::Generic => GENERIC.to_owned(),
        Source::Metrics => METRICS.replace(NOW, now),
    }
}

/// Placeholder for the time of a test.
const NOW: &str = "{now}";

const GENERIC: &str = r#"{
  "title": "Test alert",
  "description": "This is a test of the endpoint. Nothing is wrong.",
  "severity": "info",
  "monitoring_tool": "Test"
}"#;

const METRICS: &str = r#"{
  "version": "4",
  "groupKey": "test",
  "status": "firing",
  "receiver": "gatehouse",
  "groupLabels": {},
  "commonLabels": {},
  "commonAnnotations": {},
  "externalURL": "https://alertmanager.example.com",
  "alerts": [
    {
      "status": "firing",
      "startsAt": "{now}",
      "labels": { "alertname": "TestAlert", "severity": "info" },
      "annotations": {
        "title": "Test alert",
        "description": "This is a test of the endpoint. Nothing is wrong."
      }
    }
  ]
}"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snippet_has_the_address_and_the_key() {
        for source in [Source::Generic, Source::Metrics] {
            let url = "https://gatehouse.example.com/a/b/x";
            let heartbeats = heartbeat_snippets(url, url, "ghak_1");
            for snippet in snippets(source, url, url, "ghak_1")
                .into_iter()
                .chain(heartbeats)
            {
                assert!(snippet.text.contains(&format!("'{url}")));
                assert!(snippet.text.contains("ghak_1") && !snippet.text.contains(KEY));
            }
        }
    }

    #[test]
    fn the_test_payload_of_each_source_is_parsed_as_one_alert() {
        use alert_intake::payload::{ParseContext, parse};
        use api_conventions::ids::{IntegrationId, ProjectId};
        use api_conventions::time::Timestamp;

        for source in [Source::Generic, Source::Metrics] {
            let context = ParseContext::from_parts(
                ProjectId::new(1),
                IntegrationId::new(1),
                Timestamp::MIN,
                [0; 16],
            );
            let body = test_body(source, "2026-01-01T00:00:00Z");
            let delivery = parse(body.as_bytes(), source, &context).unwrap();
            assert_eq!(delivery.alerts.len(), 1, "{source:?}");
            assert_eq!(delivery.alerts[0].title, "Test alert");
        }
    }
}
