//! The settings of a project in an archive.
//!
//! Settings are attributes in `tree/project.json` under their names in the API, as [`write`](super::write()) writes
//! them. Other servers store some in files of their own, under shorter names, and access levels as numbers. A value
//! that a setting does not accept is dropped, like an unknown visibility: the other server may support more values.

use serde_json::{Map, Value};

use super::{AUTO_DEVOPS, CI_SETTINGS};
use crate::model::ProjectSettings;

/// Merge methods in archives of other servers: attributes that are true for a method, the strictest last.
const MERGE_METHODS: [(&str, &str); 2] = [
    ("merge_requests_rebase_enabled", "rebase_merge"),
    ("merge_requests_ff_only_enabled", "ff"),
];

/// Access levels of features in archives of other servers.
const LEVELS: [(i64, &str); 4] = [
    (0, "disabled"),
    (10, "private"),
    (20, "enabled"),
    (30, "public"),
];

/// The settings among the attributes of one file.
pub(super) fn settings(file: &str, attributes: Map<String, Value>) -> ProjectSettings {
    let prefix = match file {
        AUTO_DEVOPS => "auto_devops_",
        CI_SETTINGS => "ci_",
        _ => "",
    };
    let mut given = Map::new();
    for (attribute, method) in MERGE_METHODS {
        if attributes.get(attribute) == Some(&Value::Bool(true)) {
            given.insert("merge_method".to_owned(), method.into());
        }
    }
    for (name, value) in attributes {
        let value = if name.ends_with("_access_level") {
            level(value)
        } else {
            value
        };
        if !prefix.is_empty() {
            given.insert(format!("{prefix}{name}"), value.clone());
        }
        given.insert(name, value);
    }
    ProjectSettings::from_values(&given)
}

/// Converts an access level to its word.
fn level(value: Value) -> Value {
    let number = value.as_i64();
    let word = LEVELS.iter().find(|(level, _)| Some(*level) == number);
    word.map_or(value, |(_, word)| (*word).into())
}
