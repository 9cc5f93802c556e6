//! The list of requests: a file with one request in each line.

use std::collections::BTreeMap;

use serde::Deserialize;

/// A line of the list. A request without a name prepares later ones, and must succeed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OracleRequest {
    /// Name of the test case, unique in the list.
    #[serde(default)]
    pub(crate) name: String,
    /// The parameters of an authorization request, sent by a browser. The other fields are for requests of clients.
    #[serde(default)]
    pub(crate) authorize: Option<NamedValues>,
    /// `nobody` when the browser is not signed in.
    #[serde(default, rename = "as")]
    pub(crate) user: String,
    /// The user's decision on the consent page: `approve`, `deny`, or nothing.
    #[serde(default)]
    pub(crate) decide: String,
    #[serde(default)]
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) path: String,
    /// The two halves of HTTP Basic credentials.
    #[serde(default)]
    pub(crate) basic: Option<[String; 2]>,
    #[serde(default)]
    pub(crate) headers: NamedValues,
    /// A body sent as a form.
    #[serde(default)]
    pub(crate) form: Option<NamedValues>,
    /// A body sent verbatim.
    #[serde(default)]
    pub(crate) body: Option<String>,
    /// Values to keep for later requests: the placeholder, and the key of the JSON or the parameter of the redirect.
    #[serde(default)]
    pub(crate) keep: NamedValues,
}

/// Names and values.
pub(crate) type NamedValues = BTreeMap<String, String>;

/// Reads the list.
pub(crate) fn read(text: &str) -> Vec<OracleRequest> {
    let requests: Vec<OracleRequest> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let mut names: Vec<&str> = requests.iter().map(|request| &*request.name).collect();
    names.retain(|name| !name.is_empty());
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "a name is there twice");
    requests
}
