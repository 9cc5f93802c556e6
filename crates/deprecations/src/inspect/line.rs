//! Members of a JSON log line that describe a call, under the names that servers and proxies use.

use serde_json::Value;

use super::log::{LogCall, LogQuery, request_line};

/// Objects in which programs nest request data, from the outside in.
const OBJECTS: [&str; 9] = [
    "fields",
    "span",
    "request",
    "req",
    "http",
    "httpRequest",
    "url",
    "jsonPayload",
    "response",
];

const METHOD: [&str; 9] = [
    "method",
    "request_method",
    "requestMethod",
    "http_method",
    "verb",
    "request.method",
    "http.method",
    "http.request.method",
    "RequestMethod",
];

/// Names of members with the address as sent.
const TARGET: [&str; 10] = [
    "request_uri",
    "requestUri",
    "requestUrl",
    "http.target",
    "http.url",
    "url.original",
    "original",
    "target",
    "url",
    "full_path",
];

/// Names of members with an address that may be a path without its query.
const PATH: [&str; 12] = [
    "uri",
    "path",
    "request_path",
    "requestPath",
    "RequestPath",
    "request.uri",
    "request.path",
    "url.path",
    "http.path",
    "request.route",
    "http.route",
    "route",
];

const QUERY: [&str; 8] = [
    "query",
    "query_string",
    "queryString",
    "args",
    "url.query",
    "http.query",
    "request.query",
    "params",
];

const STATUS: [&str; 9] = [
    "status",
    "status_code",
    "statusCode",
    "response.status",
    "http.status_code",
    "http.response.status_code",
    "DownstreamStatus",
    "response_status",
    "code",
];

/// Members of a line, including those of nested objects.
pub(super) struct LineFields<'l>(Vec<&'l Value>);

impl<'l> LineFields<'l> {
    pub(super) fn of(line: &'l Value) -> Self {
        let mut objects = vec![line];
        // Two levels: some programs nest the request in an object of an object.
        for _ in 0..2 {
            let inner: Vec<&Value> = objects
                .iter()
                .flat_map(|object| OBJECTS.iter().filter_map(|name| object.get(name)))
                .filter(|inner| inner.is_object())
                .collect();
            for object in inner {
                if !objects.iter().any(|known| std::ptr::eq(*known, object)) {
                    objects.push(object);
                }
            }
        }
        Self(objects)
    }

    fn find(&self, names: &[&str]) -> Option<&'l Value> {
        let mut objects = self.0.iter();
        objects.find_map(|object| {
            let mut names = names.iter();
            names.find_map(|name| object.get(*name).filter(|value| !value.is_null()))
        })
    }

    /// Returns the text of the first member with one of these names; an outer one before a nested one.
    pub(super) fn text(&self, names: &[&str]) -> Option<&'l str> {
        let mut objects = self.0.iter();
        objects.find_map(|object| {
            let mut names = names.iter();
            names.find_map(|name| object.get(*name)?.as_str().filter(|text| !text.is_empty()))
        })
    }

    /// Returns the call described by the line.
    pub(super) fn entry(&self) -> Option<LogCall<'l>> {
        let status = self.find(&STATUS).and_then(|status| match status {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64().and_then(|status| u16::try_from(status).ok()),
        });
        if let Some(method) = self.text(&METHOD) {
            let is_address = |text: &&str| text.starts_with('/') || text.contains("://");
            let target = self.text(&TARGET).filter(is_address);
            let path = self.text(&PATH).filter(is_address);
            let (target, is_path) = match (target, path) {
                (Some(target), _) => (target, false),
                (None, Some(path)) => (path, true),
                (None, None) => return None,
            };
            return Some(LogCall {
                method,
                target,
                query: self.query(is_path),
                status,
            });
        }
        // A request line, as written by proxies.
        let line = self.text(&["request", "request_line", "requestLine", "r"])?;
        let mut entry = request_line(line)?;
        entry.status = status;
        Some(entry)
    }

    fn query(&self, is_path: bool) -> LogQuery {
        match self.find(&QUERY) {
            Some(Value::String(text)) => LogQuery::Text(text.clone()),
            Some(Value::Object(members)) => {
                let pairs = members.iter();
                LogQuery::Pairs(
                    pairs
                        .map(|(name, value)| (name.clone(), plain(value)))
                        .collect(),
                )
            }
            // Pairs given as objects of a name and a value.
            Some(Value::Array(items)) => {
                let pairs = items.iter().filter_map(|item| {
                    let name = item.get("key").or_else(|| item.get("name"))?.as_str()?;
                    Some((name.to_owned(), plain(item.get("value")?)))
                });
                LogQuery::Pairs(pairs.collect())
            }
            _ if is_path => LogQuery::NotShown,
            _ => LogQuery::InTarget,
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
