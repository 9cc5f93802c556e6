//! Identity of alerts.
//!
//! The identity is a digest over the project and the first of these that is present: the full label set of a metrics
//! alert, the sender's fingerprint, what a recognised sender repeats in all reports about one alert, or the payload
//! without its start, its end and its hosts. Title and time alone never
//! make an identity: hosts that fail in the same instant would become one alert.

use api_conventions::ids::ProjectId;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::model::AlertIdentity;

/// Keys of a generic payload that the identity ignores: the two of the specification's grouping rule, and the end,
/// because a payload that differs from an open alert only in its end is the one that resolves it.
const NOT_COUNTED: [&str; 3] = ["start_time", "end_time", "hosts"];

/// Keys of a metrics item that the identity ignores: its times and its status, and those of a generic payload, which a
/// sender may have kept.
const NOT_COUNTED_OF_ITEM: [&str; 6] = [
    "startsAt",
    "endsAt",
    "status",
    "start_time",
    "end_time",
    "hosts",
];

/// Scope of an identity: alerts of different projects are never the same, and those of two endpoints of one project are.
#[derive(Debug, Clone, Copy)]
pub struct IdentityScope<'l> {
    /// The project.
    pub project: ProjectId,
    /// Names of labels and of top-level fields that the identity leaves out.
    pub ignored: &'l [String],
}

impl IdentityScope<'_> {
    fn ignores(&self, name: &str) -> bool {
        self.ignored.iter().any(|ignored| ignored == name)
    }
}

/// Hasher for the parts of an identity. Every part is preceded by its length, so that different lists of parts never
/// look the same.
struct IdentityHasher(Sha256);

impl IdentityHasher {
    fn new(scope: IdentityScope<'_>, kind: &str) -> Self {
        let mut parts = Self(Sha256::new_with_prefix(b"gatehouse.alert.identity.2"));
        parts.0.update(scope.project.get().to_le_bytes());
        parts.add(kind);
        parts
    }

    fn add(&mut self, text: &str) {
        self.0.update((text.len() as u64).to_le_bytes());
        self.0.update(text.as_bytes());
    }

    fn finish(self) -> AlertIdentity {
        AlertIdentity::from_bytes(self.0.finalize().into())
    }
}

/// Returns the identity of a label set sorted by name; `None` if the scope leaves out all of them.
pub fn of_labels(
    scope: IdentityScope<'_>,
    sorted_labels: &[(&str, &str)],
) -> Option<AlertIdentity> {
    let counted = || {
        sorted_labels
            .iter()
            .filter(|(name, _)| !scope.ignores(name))
    };
    counted().next()?;
    let mut parts = IdentityHasher::new(scope, "labels");
    for (name, value) in counted() {
        parts.add(name);
        parts.add(value);
    }
    Some(parts.finish())
}

/// Returns the identity of a sender's fingerprint of one or several texts; `None` if there are none.
pub fn of_fingerprint(scope: IdentityScope<'_>, texts: &[&str]) -> Option<AlertIdentity> {
    if texts.is_empty() {
        return None;
    }
    let mut parts = IdentityHasher::new(scope, "fingerprint");
    for text in texts {
        parts.add(text);
    }
    Some(parts.finish())
}

/// Returns the identity of an alert of a sender that is recognised by its body. `tool` is the name of the sender, and is
/// empty for an unknown one; `parts` are what the sender's reports about one alert have in common.
pub fn of_sender(scope: IdentityScope<'_>, tool: &str, parts: &[&str]) -> AlertIdentity {
    let mut hasher = IdentityHasher::new(scope, "sender");
    hasher.add(tool);
    for part in parts {
        hasher.add(part);
    }
    hasher.finish()
}

/// Returns the identity of a payload without the top-level fields that `is_volatile` names. `None` if nothing in the
/// rest distinguishes it from others.
pub fn of_rest(
    scope: IdentityScope<'_>,
    payload: &Value,
    is_volatile: &dyn Fn(&str) -> bool,
) -> Option<AlertIdentity> {
    of_whole(scope, payload, is_volatile)
}

/// Returns the identity of a whole generic payload without its start, its end and its hosts; the order of keys does not
/// matter. `None` if nothing in the payload distinguishes it from others.
pub fn of_payload(scope: IdentityScope<'_>, payload: &Value) -> Option<AlertIdentity> {
    of_whole(scope, payload, &|key| NOT_COUNTED.contains(&key))
}

/// Returns the identity of a whole metrics item that has neither labels nor a fingerprint, without its times and its
/// status.
pub fn of_item(scope: IdentityScope<'_>, item: &Value) -> Option<AlertIdentity> {
    of_whole(scope, item, &|key| NOT_COUNTED_OF_ITEM.contains(&key))
}

fn of_whole(
    scope: IdentityScope<'_>,
    payload: &Value,
    is_left_out: &dyn Fn(&str) -> bool,
) -> Option<AlertIdentity> {
    let map = payload.as_object()?;
    let is_counted = |key: &str| !is_left_out(key) && !scope.ignores(key);
    let counted = || map.iter().filter(|(key, _)| is_counted(key));
    if counted().all(|(_, value)| is_blank(value)) {
        return None;
    }
    let mut parts = IdentityHasher::new(scope, "payload");
    for (key, value) in counted() {
        parts.add(key);
        // Objects are sorted by key in this representation, so equal values have equal texts.
        parts.add(&value.to_string());
    }
    Some(parts.finish())
}

/// Returns an identity that no other alert shares.
pub fn unique(scope: IdentityScope<'_>, nonce: &[u8; 16], position: usize) -> AlertIdentity {
    let mut parts = IdentityHasher::new(scope, "unique");
    parts.0.update(nonce);
    parts.0.update((position as u64).to_le_bytes());
    parts.finish()
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(map) => map.values().all(is_blank),
        Value::Bool(true) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const HERE: IdentityScope<'_> = IdentityScope {
        project: ProjectId::new(1),
        ignored: &[],
    };

    #[test]
    fn start_end_and_hosts_do_not_count_and_everything_else_does() {
        let base = of_payload(HERE, &json!({"title": "t", "x": {"a": 1, "b": [2]}})).unwrap();
        let same =
            json!({"x": {"b": [2], "a": 1}, "hosts": "h", "start_time": "now", "title": "t"});
        assert_eq!(of_payload(HERE, &same), Some(base));
        let ended = json!({"title": "t", "x": {"a": 1, "b": [2]}, "end_time": "now"});
        assert_eq!(of_payload(HERE, &ended), Some(base));
        let other_project = IdentityScope {
            project: ProjectId::new(2),
            ignored: &[],
        };
        for other in [
            json!({"title": "t", "x": {"a": 2, "b": [2]}}),
            json!({"title": "t"}),
        ] {
            assert_ne!(of_payload(HERE, &other), Some(base), "{other}");
        }
        assert_ne!(of_payload(other_project, &same), Some(base));
    }

    #[test]
    fn payloads_without_identifying_fields_have_no_identity() {
        for blank in [
            json!({}),
            json!({"title": " ", "x": [null, {"y": false}]}),
            json!({"hosts": "h"}),
        ] {
            assert_eq!(of_payload(HERE, &blank), None, "{blank}");
        }
        assert_eq!(of_labels(HERE, &[]), None);
        assert_eq!(of_fingerprint(HERE, &[]), None);
        assert_ne!(unique(HERE, &[0; 16], 0), unique(HERE, &[0; 16], 1));
        assert_ne!(unique(HERE, &[0; 16], 0), unique(HERE, &[1; 16], 0));
    }

    #[test]
    fn parts_do_not_run_together() {
        assert_ne!(
            of_fingerprint(HERE, &["ab", "c"]),
            of_fingerprint(HERE, &["a", "bc"])
        );
        assert_ne!(
            of_labels(HERE, &[("a", "bc")]),
            of_labels(HERE, &[("ab", "c")])
        );
        assert_ne!(
            of_labels(HERE, &[("a", "b")]),
            of_fingerprint(HERE, &["a", "b"])
        );
    }

    #[test]
    fn ignored_labels_and_fields_do_not_count() {
        let ignored = ["replica".to_owned()];
        let scope = IdentityScope {
            ignored: &ignored,
            ..HERE
        };
        let labels = |replica| of_labels(scope, &[("job", "api"), ("replica", replica)]);
        assert_eq!(labels("a"), labels("b"));
        assert_eq!(labels("a"), of_labels(HERE, &[("job", "api")]));
        assert_eq!(of_labels(scope, &[("replica", "a")]), None);
        let payload = |replica| of_payload(scope, &json!({"title": "t", "replica": replica}));
        assert_eq!(payload("a"), payload("b"));
        assert_ne!(
            payload("a"),
            of_payload(scope, &json!({"title": "u", "replica": "a"}))
        );
    }

    proptest! {
        #[test]
        fn white_space_and_order_of_keys_do_not_matter(
            pairs in proptest::collection::btree_map("[a-z]{1,4}", "[a-z]{1,4}", 1..6),
        ) {
            let forward: Vec<String> = pairs.iter().map(|(k, v)| format!("\"{k}\":\"{v}\"")).collect();
            let backward: Vec<String> = pairs.iter().rev().map(|(k, v)| format!(" \"{k}\" : \"{v}\" ")).collect();
            let read = |parts: Vec<String>| -> Value {
                serde_json::from_str(&format!("{{{}}}", parts.join(","))).unwrap()
            };
            prop_assert_eq!(of_payload(HERE, &read(forward)), of_payload(HERE, &read(backward)));
        }
    }
}
