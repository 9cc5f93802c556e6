//! Sends the list of requests to a server, and records its responses.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::difference::ResponseFacets;
use super::facets::{Facets, parameters};
use super::requests::{NamedValues, OracleRequest};
use crate::browser::{FormBrowser, HtmlForm, encode};
use crate::support::{TestCaller, TestResponse};

/// A server to which the requests are sent.
#[derive(Debug)]
pub(crate) struct TestedServer {
    base_url: String,
    signed_in: FormBrowser,
    /// Values for the placeholders of the list: ids, secrets, codes and tokens.
    values: BTreeMap<String, String>,
}

impl TestedServer {
    /// A server with its user signed in. `values` holds the user and the applications.
    pub(crate) fn new(base_url: &str, values: BTreeMap<String, String>) -> Self {
        let mut signed_in = FormBrowser::new(base_url);
        signed_in.sign_in(&values["user.login"], &values["user.password"]);
        Self {
            base_url: base_url.to_owned(),
            signed_in,
            values,
        }
    }

    /// Sends all requests, one after the other. Returns the properties of the responses to named requests.
    pub(crate) fn replay(
        &mut self,
        requests: &[OracleRequest],
    ) -> BTreeMap<String, ResponseFacets> {
        let mut seen = BTreeMap::new();
        for request in requests {
            let answers = if let Some(fields) = &request.authorize {
                self.authorize(request, fields)
            } else {
                vec![self.send(request)]
            };
            let last = answers.last().unwrap();
            for (placeholder, key) in &request.keep {
                let value = find(last, key);
                let value = value.unwrap_or_else(|| panic!("no {key} for {request:?}: {last:?}"));
                self.values.insert(placeholder.clone(), value);
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
    fn authorize(&mut self, request: &OracleRequest, fields: &NamedValues) -> Vec<TestResponse> {
        let path = format!("/oauth/authorize?{}", encode(&self.filled(fields)));
        let mut anonymous = FormBrowser::new(&self.base_url);
        let browser = match &*request.user {
            "nobody" => &mut anonymous,
            _ => &mut self.signed_in,
        };
        let question = browser.get(&path);
        if request.decide.is_empty() {
            return vec![question];
        }
        let forms = HtmlForm::all(&question.text());
        let decides = |form: &&HtmlForm| {
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
    fn send(&self, request: &OracleRequest) -> TestResponse {
        let mut caller = TestCaller::new(&self.base_url, None);
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

    fn filled(&self, fields: &NamedValues) -> Vec<(String, String)> {
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
        self.values.iter().fold(text.to_owned(), fill)
    }
}

/// A value of a response: from its JSON, or a parameter of its redirect.
fn find(answer: &TestResponse, key: &str) -> Option<String> {
    if let Some(location) = answer.header("location") {
        let (_, query) = location.split_once('?')?;
        let mut found = parameters(query).into_iter();
        return found.find(|(name, _)| name == key).map(|(_, value)| value);
    }
    let body: Value = serde_json::from_slice(&answer.body).ok()?;
    body.get(key).and_then(Value::as_str).map(str::to_owned)
}
