//! Security policy reports of browsers.
//! A browser is not an SDK: it sends a body of its own, which becomes an event here.

use serde_json::{Map, Value, json};

use super::json::JsonError;
use super::shorten::read_within;

/// Reports of one body that are read.
const MAX_ENTRIES: usize = 20;
/// Names under which browsers wrap a report, one for each policy.
const WRAPPERS: [&str; 4] = [
    "csp-report",
    "expect-ct-report",
    "expect-staple-report",
    "csp",
];
/// Names that identify a report without a wrapper: of pinned keys, and of security policies in either spelling.
const OWN_NAMES: [&str; 6] = [
    "known-pins",
    "violated-directive",
    "effective-directive",
    "effectiveDirective",
    "blocked-uri",
    "blockedURL",
];

/// Reports in a body.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PolicyReports {
    /// The reports, as events.
    pub events: Vec<Value>,
    /// Reports of other kinds, which are not stored: deprecations, interventions, crashes.
    pub not_kept: u64,
    /// Entries that are not reports.
    pub invalid: u64,
    /// Reports beyond the maximum per body.
    pub too_many: u64,
}

/// Parses a body: one report under the name of its policy or without one, or reports of the Reporting API.
/// Keeps about `most` bytes of it.
///
/// # Errors
/// The body is not JSON.
pub fn reports(body: &[u8], most: usize) -> Result<PolicyReports, JsonError> {
    let mut reports = PolicyReports::default();
    match read_within(body, most)?.0 {
        Value::Array(entries) => entries.into_iter().for_each(|entry| reports.add(entry)),
        entry => reports.add(entry),
    }
    Ok(reports)
}

impl PolicyReports {
    fn add(&mut self, entry: Value) {
        match one(entry) {
            Entry::Event(_) if self.events.len() == MAX_ENTRIES => self.too_many += 1,
            Entry::Event(event) => self.events.push(event),
            Entry::Other => self.not_kept += 1,
            Entry::Invalid => self.invalid += 1,
        }
    }
}

/// Kind of an entry.
enum Entry {
    Event(Value),
    /// A report of another kind.
    Other,
    Invalid,
}

fn one(entry: Value) -> Entry {
    let Value::Object(mut entry) = entry else {
        return Entry::Invalid;
    };
    if let Some(kind) = entry.get("type").and_then(Value::as_str) {
        return match kind {
            "csp-violation" => of_list(entry).map_or(Entry::Invalid, Entry::Event),
            _ => Entry::Other,
        };
    }
    let wrapped = WRAPPERS.iter().find_map(|name| match entry.remove(*name)? {
        Value::Object(report) => Some(report),
        _ => None,
    });
    if let Some(report) = wrapped {
        return Entry::Event(event(report, None));
    }
    if OWN_NAMES.iter().any(|name| entry.contains_key(*name)) {
        return Entry::Event(event(dashed(entry), None));
    }
    Entry::Invalid
}

/// Converts a report of the Reporting API, which spells the names differently.
fn of_list(mut report: Map<String, Value>) -> Option<Value> {
    let agent = report.remove("user_agent");
    let page = report.remove("url");
    let Value::Object(body) = report.remove("body")? else {
        return None;
    };
    let mut body = dashed(body);
    if let Some(page) = page {
        body.entry("document-uri").or_insert(page);
    }
    Some(event(body, agent))
}

fn dashed(report: Map<String, Value>) -> Map<String, Value> {
    let names = report.into_iter();
    names
        .map(|(name, value)| (in_dashes(&name), value))
        .collect()
}

/// Converts a name to dashes: `blockedURL` to `blocked-uri`.
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

    fn of(body: &str) -> PolicyReports {
        reports(body.as_bytes(), 1 << 20).unwrap()
    }

    #[test]
    fn all_forms_become_the_same_event() {
        let report = r#"{"document-uri": "https://shop.example/", "effective-directive": "img-src",
            "blocked-uri": "https://x.example/1.png"}"#;
        let entry = r#"{"type": "csp-violation", "url": "https://shop.example/", "body": {
            "effectiveDirective": "img-src", "blockedURL": "https://x.example/1.png"}}"#;
        let wrapped = of(&format!(r#"{{"csp-report": {report}}}"#));
        assert_eq!(wrapped.events.len(), 1);
        for body in [
            report.to_owned(),
            entry.to_owned(),
            format!("[{entry}]"),
            format!("[{report}]"),
        ] {
            assert_eq!(of(&body), wrapped, "{body}");
        }
        let event = &wrapped.events[0];
        assert_eq!(event["csp"]["blocked-uri"], "https://x.example/1.png");
        assert_eq!(event["request"]["url"], "https://shop.example/");
    }

    #[test]
    fn whatever_is_no_event_is_counted() {
        let counts = |body: &str| {
            let of = of(body);
            (of.events.len(), of.not_kept, of.invalid, of.too_many)
        };
        for body in [
            "{}",
            "7",
            r#"{"csp-report": 7}"#,
            r#"[{"type": "csp-violation"}]"#,
        ] {
            assert_eq!(counts(body), (0, 0, 1, 0), "{body}");
        }
        assert_eq!(counts("[]"), (0, 0, 0, 0));
        let others = r#"[{"type": "deprecation", "body": {}}, {"type": "intervention"}, 7]"#;
        assert_eq!(counts(others), (0, 2, 1, 0));
        let entry = r#"{"type": "csp-violation", "body": {}}"#;
        let many = format!("[{}]", vec![entry; 100].join(","));
        assert_eq!(counts(&many), (MAX_ENTRIES, 0, 0, 80));
        assert!(reports(b"no", 9).is_err());
    }
}
