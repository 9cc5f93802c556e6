//! The settings of a project in an archive.
//!
//! They are attributes in `tree/project.json` under the names that the API has for them, which is how [`write`](super::write())
//! has them. Other servers keep some in files of their own, under shorter names, and access levels as numbers. A value that a
//! setting does not take is left out, as an unknown visibility is: its server may know more of them.

use serde_json::{Map, Value};

use super::{AUTO_DEVOPS, CI_SETTINGS};
use crate::model::ProjectSettings;

/// Methods of merging as other servers archive them: attributes that are true for a method, the strictest last.
const MERGE_METHODS: [(&str, &str); 2] = [
    ("merge_requests_rebase_enabled", "rebase_merge"),
    ("merge_requests_ff_only_enabled", "ff"),
];

/// Access levels of features as other servers archive them.
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

/// An access level by its word.
fn level(value: Value) -> Value {
    let number = value.as_i64();
    let word = LEVELS.iter().find(|(level, _)| Some(*level) == number);
    word.map_or(value, |(_, word)| (*word).into())
}
