//! Reports of browsers about what their security policies refused. A browser is no SDK: it sends a body of its own, which becomes an
//! event here.

use serde_json::{Map, Value, json};

use super::json::{self, NoJson};

/// Reports of one body that are read.
const MOST: usize = 20;

/// The events of a body: one report under the name of its policy, or a list of reports (Reporting API). What in it is no report is
/// passed over.
///
/// # Errors
/// When it is no JSON.
pub fn events(body: &[u8]) -> Result<Vec<Value>, NoJson> {
    let events = match json::read(body)?.value {
        Value::Array(reports) => reports.into_iter().take(MOST).filter_map(of_list).collect(),
        Value::Object(mut object) => {
            let names = [
                "csp-report",
                "expect-ct-report",
                "expect-staple-report",
                "csp",
            ];
            let found = names.iter().find_map(|name| match object.remove(*name)? {
                Value::Object(report) => Some(event(report, None)),
                _ => None,
            });
            // A report of pinned keys has no name around it.
            let is_pinning = object.contains_key("known-pins");
            found
                .or_else(|| is_pinning.then(|| event(object, None)))
                .into_iter()
                .collect()
        }
        _ => Vec::new(),
    };
    Ok(events)
}

/// A report of the Reporting API, whose names are in another spelling.
fn of_list(report: Value) -> Option<Value> {
    let Value::Object(mut report) = report else {
        return None;
    };
    if report.get("type").and_then(Value::as_str) != Some("csp-violation") {
        return None;
    }
    let agent = report.remove("user_agent");
    let page = report.remove("url");
    let Value::Object(body) = report.remove("body")? else {
        return None;
    };
    let names = body
        .into_iter()
        .map(|(name, value)| (in_dashes(&name), value));
    let mut body: Map<String, Value> = names.collect();
    if let Some(page) = page {
        body.entry("document-uri").or_insert(page);
    }
    Some(event(body, agent))
}

/// `blockedURL` as `blocked-uri`, and all other names with dashes.
fn in_dashes(name: &str) -> String {
    let mut dashed = String::new();
    for c in name.replace("URL", "Uri").chars() {
        if c.is_uppercase() {
            dashed.push('-');
        }
        dashed.extend(c.to_lowercase());
    }
    dashed
}

fn event(report: Map<String, Value>, agent: Option<Value>) -> Value {
    let page = report.get("document-uri").cloned().unwrap_or_default();
    let headers = agent.map(|agent| json!([["User-Agent", agent]]));
    let mut event = Map::new();
    event.insert("csp".to_owned(), Value::Object(report));
    for (name, value) in [
        ("platform", json!("javascript")),
        ("logger", json!("csp")),
        ("level", json!("warning")),
        ("request", json!({"url": page, "headers": headers})),
    ] {
        event.insert(name.to_owned(), value);
    }
    Value::Object(event)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_become_the_same_event() {
        let old = br#"{"csp-report": {"document-uri": "https://shop.example/", "effective-directive": "img-src",
            "blocked-uri": "https://x.example/1.png"}}"#;
        let new = br#"[{"type": "csp-violation", "url": "https://shop.example/", "body": {
            "effectiveDirective": "img-src", "blockedURL": "https://x.example/1.png"}}, {"type": "deprecation"}, 7]"#;
        let old = events(old).unwrap();
        assert_eq!(old.len(), 1);
        assert_eq!(events(new).unwrap(), old);
        assert_eq!(old[0]["csp"]["blocked-uri"], "https://x.example/1.png");
        assert_eq!(old[0]["request"]["url"], "https://shop.example/");
    }

    #[test]
    fn what_is_no_report_is_no_event() {
        for body in [
            "{}",
            "7",
            "[]",
            r#"{"csp-report": 7}"#,
            r#"[{"type": "csp-violation"}]"#,
        ] {
            assert!(events(body.as_bytes()).unwrap().is_empty(), "{body}");
        }
        assert!(events(b"no").is_err());
        let many = format!(
            "[{}]",
            vec![r#"{"type": "csp-violation", "body": {}}"#; 100].join(",")
        );
        assert_eq!(events(many.as_bytes()).unwrap().len(), MOST);
    }
}
