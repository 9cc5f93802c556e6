//! What is compared of an answer.
//!
//! Secrets, times and addresses differ between two servers by nature. What a client depends on is the rest: the
//! status, the shape of the body, the codes of errors, and a few headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::ordered::Ordered;
use crate::browser::Form;
use crate::support::Answer;

/// Named properties of an answer, in the order of reading.
pub(crate) type Facets = Vec<(String, String)>;

/// Values that mean the same on every server.
const COMPARED: [&str; 11] = [
    "error",
    "error_description",
    "state",
    "token_type",
    "expires_in",
    "scope",
    "active",
    "email",
    "email_verified",
    "grant_types_supported",
    "code_challenge_methods_supported",
];

/// The properties of an answer of the server at `base_url`.
pub(crate) fn of(answer: &Answer, base_url: &str) -> Facets {
    let mut facets = vec![
        ("status".to_owned(), answer.status.to_string()),
        ("body".to_owned(), kind(answer).to_owned()),
    ];
    if let Some(object) = Ordered::read(&answer.body) {
        read_object(&object, &mut facets);
    }
    for name in ["cache-control", "www-authenticate"] {
        facets.push((name.to_owned(), header(answer, name)));
    }
    if let Some(location) = answer.header("location") {
        read_location(location, base_url, &mut facets);
    }
    facets
}

/// What the body is, whatever the header says of an empty one.
fn kind(answer: &Answer) -> &'static str {
    let content_type = answer.header("content-type").unwrap_or_default();
    let is = |media_type| content_type.starts_with(media_type);
    if answer.body.is_empty() || answer.header("location").is_some() {
        "none"
    } else if is("application/json") || is("application/jwk-set+json") {
        "json"
    } else if is("text/html") && asks_for_consent(answer) {
        "consent page"
    } else if is("text/html") {
        "page"
    } else {
        "other"
    }
}

fn asks_for_consent(answer: &Answer) -> bool {
    let forms = Form::all(&answer.text());
    forms
        .iter()
        .any(|form| form.action.contains("/oauth/authorize"))
}

fn read_object(object: &Ordered, facets: &mut Facets) {
    facets.push(("keys".to_owned(), object.keys()));
    for name in COMPARED {
        if let Some(value) = object.get(name) {
            facets.push((name.to_owned(), told(name, value)));
        }
    }
    if let Some(id_token) = object.get("id_token").and_then(Value::as_str) {
        facets.push(("id_token".to_owned(), claims(id_token).keys()));
    }
}

/// A value as text. What is left of a lifetime depends on the moment, so it is given in whole minutes.
fn told(name: &str, value: &Value) -> String {
    match (name, value) {
        ("expires_in", Value::Number(seconds)) => {
            let minutes = (seconds.as_f64().unwrap_or_default() / 60.0).round();
            format!("{minutes} min")
        }
        (_, Value::String(text)) => text.clone(),
        (_, Value::Array(items)) => {
            let items: Vec<_> = items.iter().map(|item| told(name, item)).collect();
            items.join(" ")
        }
        _ => value.to_string(),
    }
}

/// The claims of a signed token.
fn claims(token: &str) -> Ordered {
    let payload = token.split('.').nth(1).unwrap_or_default();
    let standard = payload.replace('-', "+").replace('_', "/");
    let padded = format!("{standard}{}", "=".repeat((4 - standard.len() % 4) % 4));
    let bytes = STANDARD.decode(padded).unwrap();
    Ordered::read(&bytes).unwrap()
}

/// What clients depend on of a header: whether answers are stored, and the scheme that is asked for.
fn header(answer: &Answer, name: &str) -> String {
    let value = answer.header(name).unwrap_or("none");
    let told = match name {
        "cache-control" if value.contains("no-store") => "no-store",
        "cache-control" => "may be stored",
        _ => value.split(' ').next().unwrap_or_default(),
    };
    told.to_owned()
}

/// Where a redirect leads, and what it carries.
fn read_location(location: &str, base_url: &str, facets: &mut Facets) {
    let location = location.strip_prefix(base_url).unwrap_or(location);
    let (target, query) = location.split_once('?').unwrap_or((location, ""));
    facets.push(("location".to_owned(), target.to_owned()));
    let pairs = parameters(query);
    let mut names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    facets.push(("parameters".to_owned(), names.join(" ")));
    for wanted in ["error", "error_description", "state"] {
        if let Some((_, value)) = pairs.iter().find(|(name, _)| name == wanted) {
            facets.push((wanted.to_owned(), value.clone()));
        }
    }
}

/// The parameters of a query, decoded.
pub(crate) fn parameters(query: &str) -> Vec<(String, String)> {
    let query = query.split('#').next().unwrap_or_default();
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_encoding::percent_decode_str(&spaced)
            .decode_utf8_lossy()
            .into_owned()
    };
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode(name), decode(value))
        })
        .collect()
}
