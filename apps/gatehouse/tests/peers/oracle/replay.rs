//! Sends the list of requests to a server, and records its responses.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::difference::Seen;
use super::facets::{Facets, parameters};
use super::requests::{Fields, Request};
use crate::browser::{Browser, Form, encode};
use crate::support::{Answer, Caller};

/// A server to which the requests are sent.
#[derive(Debug)]
pub(crate) struct Subject {
    base_url: String,
    signed_in: Browser,
    /// Values for the placeholders of the list: ids, secrets, codes and tokens.
    known: BTreeMap<String, String>,
}

impl Subject {
    /// A server with its user signed in. `known` holds the user and the applications.
    pub(crate) fn new(base_url: &str, known: BTreeMap<String, String>) -> Self {
        let mut signed_in = Browser::new(base_url);
        signed_in.sign_in(&known["user.login"], &known["user.password"]);
        Self {
            base_url: base_url.to_owned(),
            signed_in,
            known,
        }
    }

    /// Sends all requests, one after the other. Returns the properties of the responses to named requests.
    pub(crate) fn replay(&mut self, requests: &[Request]) -> BTreeMap<String, Seen> {
        let mut seen = BTreeMap::new();
        for request in requests {
            let answers = if let Some(asked) = &request.authorize {
                self.authorize(request, asked)
            } else {
                vec![self.send(request)]
            };
            let last = answers.last().unwrap();
            for (placeholder, key) in &request.keep {
                let value = find(last, key);
                let value = value.unwrap_or_else(|| panic!("no {key} for {request:?}: {last:?}"));
                self.known.insert(placeholder.clone(), value);
            }
            if !request.name.is_empty() {
                let facets = answers.iter();
                let facets = facets.map(|answer| Facets::of(answer, &self.base_url));
                seen.insert(request.name.clone(), facets.collect());
            }
        }
        seen
    }

    /// Opens the authorization page, and decides on it if it asks.
    fn authorize(&mut self, request: &Request, asked: &Fields) -> Vec<Answer> {
        let path = format!("/oauth/authorize?{}", encode(&self.filled(asked)));
        let mut nobody = Browser::new(&self.base_url);
        let browser = match &*request.who {
            "nobody" => &mut nobody,
            _ => &mut self.signed_in,
        };
        let question = browser.get(&path);
        if request.decide.is_empty() {
            return vec![question];
        }
        let forms = Form::all(&question.text());
        let decides = |form: &&Form| {
            let is_denial = form.value("_method") == Some("delete");
            form.action.contains("/oauth/authorize") && is_denial == (request.decide == "deny")
        };
        match forms.iter().find(decides) {
            Some(form) => {
                let decision = browser.submit(form, &[]);
                vec![question, decision]
            }
            None => vec![question],
        }
    }

    /// Sends the request of a client.
    fn send(&self, request: &Request) -> Answer {
        let mut caller = Caller::new(&self.base_url, None);
        if let Some([id, secret]) = &request.basic {
            let pair = format!("{}:{}", self.fill(id), self.fill(secret));
            caller = caller.with("Authorization", &format!("Basic {}", STANDARD.encode(pair)));
        }
        for (name, value) in &request.headers {
            caller = caller.with(name, &self.fill(value));
        }
        let form = request.form.as_ref().map(|form| encode(&self.filled(form)));
        let body = form.or_else(|| request.body.as_deref().map(|body| self.fill(body)));
        if body.is_some() && !request.headers.contains_key("Content-Type") {
            caller = caller.with("Content-Type", "application/x-www-form-urlencoded");
        }
        let body = body.unwrap_or_default();
        caller.send(&request.method, &self.fill(&request.path), body.as_bytes())
    }

    fn filled(&self, fields: &Fields) -> Vec<(String, String)> {
        let filled = fields.iter();
        filled
            .map(|(name, value)| (name.clone(), self.fill(value)))
            .collect()
    }

    /// Replaces each placeholder in the text with its known value.
    fn fill(&self, text: &str) -> String {
        let fill = |text: String, (name, value): (&String, &String)| {
            text.replace(&format!("{{{name}}}"), value)
        };
        self.known.iter().fold(text.to_owned(), fill)
    }
}

/// A value of a response: from its JSON, or a parameter of its redirect.
fn find(answer: &Answer, key: &str) -> Option<String> {
    if let Some(location) = answer.header("location") {
        let (_, query) = location.split_once('?')?;
        let mut found = parameters(query).into_iter();
        return found.find(|(name, _)| name == key).map(|(_, value)| value);
    }
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    body.get(key).and_then(Value::as_str).map(str::to_owned)
}
