//! Compared properties of a response.
//!
//! Secrets, times and URLs differ between two servers by nature. Clients depend on the rest: the outcome, the shape of
//! the body, the error codes, and a few headers.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use super::ordered::OrderedObject;
use crate::browser::HtmlForm;
use crate::support::TestResponse;

/// A named property of an answer.
pub(crate) type Facet = (&'static str, String);

/// The properties of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Facets {
    /// Outcome: a page, a redirect, an error, or a success.
    pub(crate) outcome: String,
    /// Properties that are compared for any outcome.
    pub(crate) headers: Vec<Facet>,
    /// Properties that are compared between responses with the same outcome.
    pub(crate) details: Vec<Facet>,
}

/// Keys whose values mean the same on every server.
const COMPARED: [&str; 9] = [
    "error_description",
    "state",
    "token_type",
    "expires_in",
    "scope",
    "active",
    "email_verified",
    "grant_types_supported",
    "code_challenge_methods_supported",
];

impl Facets {
    /// The properties of a response of the server at `base_url`.
    pub(crate) fn of(answer: &TestResponse, base_url: &str) -> Self {
        let mut facets = Self {
            outcome: answer.status.to_string(),
            headers: ["cache-control", "www-authenticate"]
                .into_iter()
                .map(|name| (name, header(answer, name)))
                .collect(),
            details: Vec::new(),
        };
        if let Some(location) = answer.header("location") {
            facets.read_redirect(answer.status, location, base_url);
        } else if let Some(object) = OrderedObject::read(&answer.body) {
            facets.read_object(&object);
        } else if !answer.body.is_empty() {
            facets.outcome.push_str(kind(answer));
        }
        facets
    }

    fn read_object(&mut self, object: &OrderedObject) {
        let error = object.get("error").map(|error| response("error", error));
        self.outcome.push(' ');
        self.outcome.push_str(error.as_deref().unwrap_or("JSON"));
        self.details.push(("keys", object.keys()));
        for name in COMPARED {
            if let Some(value) = object.get(name) {
                self.details.push((name, response(name, value)));
            }
        }
        if let Some(token) = object.get("id_token").and_then(Value::as_str) {
            self.details.push(("id_token", claims(token).keys()));
        }
    }

    /// Reads the target of a redirect, and its parameters.
    fn read_redirect(&mut self, status: u16, location: &str, base_url: &str) {
        let location = location.strip_prefix(base_url).unwrap_or(location);
        let (target, query) = location.split_once('?').unwrap_or((location, ""));
        let pairs = parameters(query);
        let find = |expected: &str| pairs.iter().find(|(name, _)| name == expected);
        self.outcome = match find("error") {
            Some((_, error)) => format!("to {target}: {error}"),
            None => format!("to {target}"),
        };
        self.details.push(("status", status.to_string()));
        let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        self.details.push(("parameters", names.join(" ")));
        for expected in ["error_description", "state"] {
            if let Some((_, value)) = find(expected) {
                self.details.push((expected, value.clone()));
            }
        }
    }
}

/// Kind of a body that is not JSON.
fn kind(answer: &TestResponse) -> &'static str {
    let forms = HtmlForm::all(&answer.text());
    let asks = |form: &HtmlForm| form.action.contains("/oauth/authorize");
    let content_type = answer.header("content-type").unwrap_or_default();
    match content_type.starts_with("text/html") {
        true if forms.iter().any(asks) => " consent page",
        true => " page",
        false => " of another kind",
    }
}

/// A value as text. Remaining lifetimes depend on the time, so they are rounded to minutes.
fn response(name: &str, value: &Value) -> String {
    match (name, value) {
        ("expires_in", Value::Number(seconds)) => {
            let minutes = (seconds.as_f64().unwrap_or_default() / 60.0).round();
            format!("{minutes} min")
        }
        // The order of scopes does not matter (RFC 6749, section 3.3).
        ("scope", Value::String(text)) => {
            let mut scopes: Vec<&str> = text.split(' ').collect();
            scopes.sort_unstable();
            scopes.join(" ")
        }
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(items)) => {
            let mut items: Vec<_> = items.iter().map(|item| response(name, item)).collect();
            if name == "scope" {
                items.sort_unstable();
            }
            items.join(" ")
        }
        _ => value.to_string(),
    }
}

/// The claims of a signed token.
fn claims(token: &str) -> OrderedObject {
    let payload = token.split('.').nth(1).unwrap_or_default();
    OrderedObject::read(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

/// The relevant part of a header: whether responses may be stored, and the requested authentication scheme.
fn header(answer: &TestResponse, name: &str) -> String {
    let value = answer.header(name).unwrap_or("none");
    let response = match name {
        "cache-control" if value.contains("no-store") => "no-store",
        "cache-control" => "may be stored",
        _ => value.split(' ').next().unwrap_or_default(),
    };
    response.to_owned()
}

/// The parameters of a query, decoded.
pub(crate) fn parameters(query: &str) -> Vec<(String, String)> {
    let query = query.split('#').next().unwrap_or_default();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        let bytes = percent_encoding::percent_decode_str(&spaced);
        bytes.decode_utf8_lossy().into_owned()
    };
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}
