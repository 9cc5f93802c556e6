//! Responses to an application: the redirect in the browser, and tokens.

use serde_json::Value;

use super::AUTHORIZE;
use crate::support::TestResponse;
use crate::support::browser::{TestBrowser, hidden};

/// A redirect to an application, with its parameters.
#[derive(Debug)]
pub(in crate::oauth) struct Landing {
    /// The redirect URI without the added parameters.
    pub(in crate::oauth) address: String,
    /// The added parameters, decoded, in order.
    pub(in crate::oauth) response: Vec<(String, String)>,
}

impl Landing {
    /// Reads a redirect. D9: it is always fetched with GET, so no form is forwarded to the application.
    #[track_caller]
    pub(in crate::oauth) fn of(answer: &TestResponse) -> Self {
        assert_eq!(answer.status, 303, "{}", answer.text());
        let location = answer.header("location").expect("a redirect says where");
        let (address, query) = location.split_once('?').unwrap_or((location, ""));
        let response = url::form_urlencoded::parse(query.as_bytes());
        Self {
            address: address.to_owned(),
            response: response.into_owned().collect(),
        }
    }

    /// Value of a parameter, which occurs at most once.
    #[track_caller]
    pub(in crate::oauth) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.response.iter().filter(|(known, _)| known == name);
        let value = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} is there twice: {self:?}");
        value
    }

    /// The authorization code.
    #[track_caller]
    pub(in crate::oauth) fn code(&self) -> String {
        let code = self.get("code");
        code.unwrap_or_else(|| panic!("no code: {self:?}"))
            .to_owned()
    }
}

/// Approves a consent page.
#[track_caller]
pub(in crate::oauth) fn approve(browser: &mut TestBrowser, page: &TestResponse) -> TestResponse {
    submit_decision(browser, page, &[])
}

/// Denies a consent page.
#[track_caller]
pub(in crate::oauth) fn deny(browser: &mut TestBrowser, page: &TestResponse) -> TestResponse {
    submit_decision(browser, page, &[("_method", "delete")])
}

#[track_caller]
fn submit_decision(
    browser: &mut TestBrowser,
    page: &TestResponse,
    more: &[(&str, &str)],
) -> TestResponse {
    let (token, handle) = (hidden(page, "authenticity_token"), hidden(page, "handle"));
    let fields = [("authenticity_token", &*token), ("handle", &*handle)];
    browser.post(AUTHORIZE, &[&fields[..], more].concat())
}

/// A pair of tokens, and their response.
#[derive(Debug)]
pub(in crate::oauth) struct IssuedTokens {
    /// The access token.
    pub(in crate::oauth) access: String,
    /// The refresh token.
    pub(in crate::oauth) refresh: String,
    /// The whole response.
    pub(in crate::oauth) body: Value,
}

impl IssuedTokens {
    /// Reads a token response.
    #[track_caller]
    pub(in crate::oauth) fn of(answer: &TestResponse) -> Self {
        let body = answer.expect(200);
        let text = |name: &str| body[name].as_str().expect(name).to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
            body,
        }
    }
}

/// Asserts an error response by its code and its caching headers: no cache may store it (RFC 6749, section 5.2).
#[track_caller]
pub(in crate::oauth) fn assert_refused(answer: &TestResponse, status: u16, error: &str) {
    let body = answer.expect(status);
    assert_eq!(body["error"], error, "{body}");
    let members: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(members, ["error", "error_description"]);
    assert_unstored(answer);
}

/// Asserts that no cache on the way to the application may store a response (D25).
#[track_caller]
pub(in crate::oauth) fn assert_unstored(answer: &TestResponse) {
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}
