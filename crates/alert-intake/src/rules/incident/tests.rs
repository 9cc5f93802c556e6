//! Titles and descriptions of incidents, and hostile text in them.

use api_conventions::ids::{AlertId, AlertIid, IntegrationId, ProjectId};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{AlertStatus, Severity, Source, Start};

fn alert(payload: &serde_json::Value) -> Alert {
    let start = Timestamp::parse_rfc3339("2020-09-22T06:00:00Z").unwrap();
    Alert {
        summary: AlertSummary {
            id: AlertId::new(7),
            iid: AlertIid::new(1),
            project_id: ProjectId::new(2),
            integration_id: IntegrationId::new(3),
            source: Source::Metrics,
            title: "Disk full".to_owned(),
            description: String::new(),
            severity: Severity::High,
            status: AlertStatus::Triggered,
            service: String::new(),
            monitoring_tool: String::new(),
            hosts: Vec::new(),
            environment_name: None,
            assignee_id: None,
            started_at: start,
            last_start: Start::stated(start),
            occurrences: 1,
            deliveries: 1,
            flaps: 0,
            stale_at: None,
            created_at: start,
            updated_at: start,
        },
        payload: payload.to_string(),
        latest_payload: None,
    }
}

fn source<'a>(alert: &'a Alert, template: &'a str) -> IncidentSource<'a> {
    IncidentSource {
        alert,
        alerts: 1,
        link: "https://gatehouse.example/a/b/-/alert_management/1/details",
        template,
        service_word: "service",
    }
}

#[test]
fn a_description_has_all_fields_in_order_and_the_parts_after_rules() {
    let mut full = alert(&json!({
        "annotations": {"runbook": "https://r.example/x y", "service_incident_markdown": "## Help\n\ncall\0 us\n"},
        "generatorURL": "http://prom/graph?g0.expr=up%20%3D%3D%20%60a%60",
    }));
    full.summary.service = "api *".to_owned();
    full.summary.monitoring_tool = "Prometheus".to_owned();
    full.summary.hosts = vec!["web_1".to_owned(), "web_2".to_owned()];
    full.summary.description = "Only 2% left\r\n\r\n/close\n1. <b>".to_owned();
    assert_eq!(
        source(&full, "Template\n").description(),
        "**Start time:** 22 September 2020, 6:00AM (UTC)  \n\
         **Severity:** high  \n\
         **full_query:** `` up == `a` ``  \n\
         **Service:** api \\*  \n\
         **Monitoring tool:** Prometheus  \n\
         **Hosts:** web_1 web_2  \n\
         **Description:** Only 2% left  \n\\/close  \n1\\. \\<b\\>  \n\
         **Alert:** <https://gatehouse.example/a/b/-/alert_management/1/details>\n\n---\n\n\
         **Runbook:** <https://r.example/x%20y>\n\n---\n\n\
         ## Help\n\ncall\u{fffd} us\n\n---\n\n\
         Template\n"
    );
}

#[test]
fn empty_fields_and_parts_are_left_out() {
    let bare = alert(&json!({}));
    assert_eq!(
        source(&bare, " ").description(),
        "**Start time:** 22 September 2020, 6:00AM (UTC)  \n**Severity:** high  \n\
         **Alert:** <https://gatehouse.example/a/b/-/alert_management/1/details>"
    );
}

#[test]
fn an_incident_of_several_alerts_counts_them() {
    let many = alert(&json!({}));
    let source = IncidentSource {
        alerts: 3,
        ..source(&many, "")
    };
    assert_eq!(source.title().as_deref(), Some("Disk full and 2 more"));
    let text = source.description();
    let first = "3 alerts were received at once. The most severe one:\n\n**Start time:**";
    assert!(text.starts_with(first), "{text}");
}

#[test]
fn an_alert_without_a_title_names_its_incident_by_number() {
    let mut nameless = alert(&json!({}));
    nameless.summary.title = DEFAULT_TITLE.to_owned();
    assert_eq!(source(&nameless, "").title(), None);
    assert_eq!(numbered_title(4), "New: Incident 4");
}

#[test]
fn only_punctuation_with_a_meaning_is_escaped() {
    for (text, expected) in [
        ("snake_case _x_", "snake_case \\_x\\_"),
        ("# x - y", "\\# x - y"),
        ("3) done 3)", "3\\) done 3)"),
        ("v1.2", "v1.2"),
        ("http://x/a_b?c=d#e", "http://x/a_b?c=d#e"),
        ("  ", ""),
        ("a\tb", "a b"),
    ] {
        assert_eq!(escaped(text), expected, "{text:?}");
    }
}

proptest! {
    /// A line of a sender never begins with a slash, a heading or a fence, and never has a tag.
    #[test]
    fn a_field_never_becomes_structure(text in "[ -~\n\r`/#<*]{0,60}") {
        for line in escaped(&text).lines() {
            prop_assert!(!line.starts_with(['/', '#', '`', '~', '-', '+', '<', ' ']) , "{line:?}");
        }
        prop_assert!(!escaped(&text).replace("\\<", "").contains('<'));
    }

    #[test]
    fn a_code_span_holds_its_text_on_one_line(text in "[ a`\n]{0,20}") {
        let span = code(&text);
        prop_assert!(!span.contains('\n'));
        let marks = span.len() - span.trim_start_matches('`').len();
        prop_assert!(!text.contains(&"`".repeat(marks.max(1))) || marks == 0);
    }
}
