//! Requests and users as SDKs send them.

use serde_json::{Map, Value};
use url::form_urlencoded;

use super::bounded::cut;
use super::fields::{Notes, scalar};
use super::model::{EventUser, Request};

/// Maximum number of pairs of one kind.
const MAX_PAIRS: usize = 100;
/// Maximum length of the value of a pair, in characters.
const MAX_VALUE_LENGTH: usize = 2048;
/// Largest body of a request, in bytes.
const BODY: usize = 8192;

/// Takes the request of an event.
pub(super) fn request(notes: &mut Notes, event: &mut Map<String, Value>) -> Option<Request> {
    let mut sent = notes.object(event, "request")?;
    let mut url = notes.text(&mut sent, "url", 2048);
    let mut fragment = notes.text(&mut sent, "fragment", 1024);
    let mut query = as_query(notes, &mut sent);
    if let Some(whole) = url.take() {
        let (before, after) = split(&whole, '#');
        let (address, query_text) = split(before, '?');
        if query.is_empty() {
            query = form(query_text.unwrap_or_default());
        }
        fragment = fragment.or_else(|| after.map(str::to_owned));
        url = Some(address.to_owned());
    }
    let request = Request {
        url,
        method: notes
            .text(&mut sent, "method", 32)
            .map(|method| method.to_uppercase()),
        query,
        fragment,
        headers: notes.pairs(&mut sent, "headers", MAX_PAIRS, MAX_VALUE_LENGTH),
        cookies: as_cookies(notes, &mut sent),
        data: notes.free(&mut sent, "data", BODY),
        env: notes.free_object(&mut sent, "env", BODY),
    };
    (request != Request::default()).then_some(request)
}

/// Splits a text at a sign: the text before it and, if the sign is there, the text after it.
fn split(text: &str, sign: char) -> (&str, Option<&str>) {
    match text.split_once(sign) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

fn as_query(notes: &mut Notes, sent: &mut Map<String, Value>) -> Vec<(String, String)> {
    match sent.get("query_string").and_then(Value::as_str) {
        Some(query) => form(query.trim_start_matches('?')),
        None => notes.pairs(sent, "query_string", MAX_PAIRS, MAX_VALUE_LENGTH),
    }
}

fn form(query: &str) -> Vec<(String, String)> {
    let pairs = form_urlencoded::parse(query.as_bytes()).take(MAX_PAIRS);
    pairs
        .map(|(name, value)| (cut(&name, 200), cut(&value, MAX_VALUE_LENGTH)))
        .collect()
}

fn as_cookies(notes: &mut Notes, sent: &mut Map<String, Value>) -> Vec<(String, String)> {
    let Some(cookies) = sent.get("cookies").and_then(Value::as_str) else {
        return notes.pairs(sent, "cookies", MAX_PAIRS, MAX_VALUE_LENGTH);
    };
    let pairs = cookies.split(';').filter_map(|pair| pair.split_once('='));
    pairs
        .take(MAX_PAIRS)
        .map(|(name, value)| (cut(name.trim(), 200), cut(value.trim(), MAX_VALUE_LENGTH)))
        .collect()
}

/// Takes the user of an event.
/// `{{auto}}` as an address stands for the address of the client.
pub(super) fn user(
    notes: &mut Notes,
    event: &mut Map<String, Value>,
    peer: Option<&str>,
) -> Option<EventUser> {
    let mut sent = notes.object(event, "user")?;
    let address = notes.text(&mut sent, "ip_address", 64);
    let mut user = EventUser {
        id: notes.text(&mut sent, "id", 200),
        username: notes.text(&mut sent, "username", 200),
        email: notes.text(&mut sent, "email", 254),
        name: notes.text(&mut sent, "name", 200),
        ip_address: match address.as_deref() {
            Some("{{auto}}") => peer.map(str::to_owned),
            _ => address,
        },
        data: Map::new(),
    };
    if let Some(inner) = notes.object(&mut sent, "data") {
        sent.extend(inner);
    }
    sent.retain(|_, value| !value.is_null() && scalar(value).as_deref() != Some(""));
    user.data = notes.bounded(sent, "user", 4096);
    (user != EventUser::default()).then_some(user)
}
