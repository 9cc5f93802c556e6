//! A browser without scripts: it keeps cookies, reads the forms of a page, and submits them.

mod forms;

use std::collections::BTreeMap;

pub(crate) use self::forms::{HtmlForm, encode};
use crate::support::{TestCaller, TestResponse};

/// A window of a browser, on one server.
#[derive(Debug)]
pub(crate) struct FormBrowser {
    caller: TestCaller,
    base_url: String,
    cookies: BTreeMap<String, String>,
}

impl FormBrowser {
    /// A window without cookies.
    pub(crate) fn new(base_url: &str) -> Self {
        Self {
            caller: TestCaller::new(base_url, None),
            base_url: base_url.to_owned(),
            cookies: BTreeMap::new(),
        }
    }

    /// Opens a page. Returns redirects without following them.
    pub(crate) fn get(&mut self, path: &str) -> TestResponse {
        self.send(self.caller.clone(), "GET", path, b"")
    }

    /// Submits a form with some of its fields filled in.
    #[track_caller]
    pub(crate) fn submit(&mut self, form: &HtmlForm, filled: &[(&str, &str)]) -> TestResponse {
        assert_eq!(form.method, "post", "{form:?}");
        let fields = form.filled(filled);
        let caller = self
            .caller
            .clone()
            .with("Content-Type", "application/x-www-form-urlencoded")
            .with("Origin", &self.base_url)
            .with("Sec-Fetch-Site", "same-origin");
        let action = form.action.clone();
        self.send(caller, "POST", &action, encode(&fields).as_bytes())
    }

    /// Signs in with the sign-in form.
    #[track_caller]
    pub(crate) fn sign_in(&mut self, login: &str, password: &str) {
        let page = self.get("/users/sign_in");
        let forms = HtmlForm::all(&page.text());
        let form = forms.iter().find(|form| form.has("user[password]"));
        let form = form.unwrap_or_else(|| panic!("no form to sign in with: {}", page.text()));
        let answer = self.submit(
            form,
            &[("user[login]", login), ("user[password]", password)],
        );
        assert!(
            matches!(answer.status, 302 | 303),
            "{}: {}",
            answer.status,
            answer.text()
        );
    }

    fn send(&mut self, caller: TestCaller, method: &str, path: &str, body: &[u8]) -> TestResponse {
        let cookies: Vec<_> = self
            .cookies
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let caller = if cookies.is_empty() {
            caller
        } else {
            caller.with("Cookie", &cookies.join("; "))
        };
        let answer = caller.send(method, path, body);
        let set = answer
            .headers
            .iter()
            .filter(|(name, _)| name == "set-cookie");
        for (_, cookie) in set {
            self.keep(cookie);
        }
        answer
    }

    /// Keeps a cookie, or deletes it if its new value is empty.
    fn keep(&mut self, cookie: &str) {
        let pair = cookie.split(';').next().unwrap_or_default();
        let Some((name, value)) = pair.split_once('=') else {
            return;
        };
        if value.is_empty() {
            self.cookies.remove(name);
        } else {
            self.cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}
