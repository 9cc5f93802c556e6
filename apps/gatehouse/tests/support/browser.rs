//! A browser: it keeps cookies, follows redirects when told to, and fills in the forms of pages.

use std::collections::BTreeMap;

use super::{TestCaller, TestResponse, TestServer};

/// The name of the session's cookie.
pub(crate) const SESSION_COOKIE: &str = "_service_session";

/// A browser without scripts.
#[derive(Debug, Clone)]
pub(crate) struct TestBrowser {
    /// The server's URL without its path.
    base_url: String,
    /// The server's path. The browser is also the proxy that removes it.
    mount: String,
    cookies: BTreeMap<String, String>,
    headers: Vec<(String, String)>,
}

impl TestServer {
    /// A browser without cookies.
    pub(crate) fn browser(&self) -> TestBrowser {
        let url = self.base_url();
        let path = url.match_indices('/').nth(2).map(|(at, _)| at);
        let (base_url, mount) = url.split_at(path.unwrap_or(url.len()));
        TestBrowser {
            base_url: base_url.to_owned(),
            mount: mount.to_owned(),
            cookies: BTreeMap::new(),
            headers: Vec::new(),
        }
    }

    /// A browser in which one of the demo's users is signed in: `admin`, `developer` or `reporter`.
    pub(crate) fn signed_in(&self, person: &str) -> TestBrowser {
        let mut browser = self.browser();
        browser.sign_in(&self.name_of(person), &self.password_of(person));
        browser
    }

    /// The username of one of the demo's users.
    pub(crate) fn name_of(&self, person: &str) -> String {
        self.text(&format!("/{person}/username")).to_owned()
    }

    /// The password of one of the demo's users.
    pub(crate) fn password_of(&self, person: &str) -> String {
        self.text(&format!("/{person}/password")).to_owned()
    }
}

impl TestBrowser {
    /// The same browser with a header on all its requests.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same browser, with its cookies, at another server that shares the database.
    pub(crate) fn at(mut self, server: &TestServer) -> Self {
        server.base_url().clone_into(&mut self.base_url);
        self
    }

    /// The value of a cookie.
    pub(crate) fn cookie(&self, name: &str) -> Option<&str> {
        self.cookies.get(name).map(String::as_str)
    }

    /// The value of the session's cookie.
    pub(crate) fn session(&self) -> &str {
        self.cookie(SESSION_COOKIE).expect("a session cookie")
    }

    /// Sets a cookie.
    pub(crate) fn plant(&mut self, name: &str, value: &str) {
        self.cookies.insert(name.to_owned(), value.to_owned());
    }

    /// Opens a page.
    #[track_caller]
    pub(crate) fn open(&mut self, path: &str) -> TestResponse {
        self.send("GET", path, "")
    }

    /// Opens a page and follows redirects on this server.
    #[track_caller]
    pub(crate) fn visit(&mut self, path: &str) -> TestResponse {
        let mut answer = self.open(path);
        for _ in 0..5 {
            let Some(next) = answer.header("location").map(str::to_owned) else {
                return answer;
            };
            assert!(next.starts_with('/'), "leads away: {next}");
            answer = self.open(&next);
        }
        panic!("redirects without end")
    }

    /// Submits a form with these fields and the token of the page at `from`.
    #[track_caller]
    pub(crate) fn submit(&mut self, from: &str, to: &str, fields: &[(&str, &str)]) -> TestResponse {
        let page = self.open(from);
        let token = hidden(&page, "authenticity_token");
        let mut all = vec![("authenticity_token", token.as_str())];
        all.extend_from_slice(fields);
        self.post(to, &all)
    }

    /// Submits a form with exactly these fields.
    #[track_caller]
    pub(crate) fn post(&mut self, path: &str, fields: &[(&str, &str)]) -> TestResponse {
        self.send("POST", path, &form(fields))
    }

    /// Sends any request.
    #[track_caller]
    pub(crate) fn send(&mut self, method: &str, path: &str, body: &str) -> TestResponse {
        let mut caller = TestCaller::new(&self.base_url, None);
        if self.headers.iter().all(|(name, _)| name != "Accept") {
            caller = caller.with("Accept", "text/html");
        }
        if !self.cookies.is_empty() {
            let pairs = self
                .cookies
                .iter()
                .map(|(name, value)| format!("{name}={value}"));
            caller = caller.with("Cookie", &pairs.collect::<Vec<_>>().join("; "));
        }
        if method != "GET" {
            caller = caller.with("Content-Type", "application/x-www-form-urlencoded");
        }
        for (name, value) in &self.headers {
            caller = caller.with(name, value);
        }
        let within = path.strip_prefix(&self.mount);
        let within = within.unwrap_or_else(|| panic!("leads out of {}: {path}", self.mount));
        let answer = caller.send(method, within, body.as_bytes());
        self.keep(&answer);
        answer
    }

    /// The headers with which a script on one of our pages calls the API.
    #[track_caller]
    pub(crate) fn api_headers(&mut self) -> Vec<(String, String)> {
        let page = self.open(&format!("{}/profile", self.mount));
        let session = format!("{SESSION_COOKIE}={}", self.session());
        let token = hidden(&page, "authenticity_token");
        [("Cookie", session), ("X-CSRF-Token", token)]
            .map(|(name, value)| (name.to_owned(), value))
            .to_vec()
    }

    fn keep(&mut self, answer: &TestResponse) {
        for (_, line) in answer
            .headers
            .iter()
            .filter(|(name, _)| name == "set-cookie")
        {
            let (pair, attributes) = line.split_once("; ").unwrap_or((line, ""));
            let (name, value) = pair.split_once('=').expect("a cookie has a value");
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Submits a login and a password, and returns the response.
    #[track_caller]
    pub(crate) fn try_sign_in(&mut self, login: &str, password: &str) -> TestResponse {
        let fields = [("user[login]", login), ("user[password]", password)];
        let page = format!("{}/users/sign_in", self.mount);
        self.submit(&page, &page, &fields)
    }

    /// Signs in a user without a second factor.
    #[track_caller]
    pub(crate) fn sign_in(&mut self, login: &str, password: &str) {
        let answer = self.try_sign_in(login, password);
        assert_eq!(answer.status, 303, "{}", answer.text());
        assert!(self.is_signed_in());
    }

    /// True if a user is signed in.
    #[track_caller]
    pub(crate) fn is_signed_in(&mut self) -> bool {
        self.open(&format!("{}/profile", self.mount)).status == 200
    }
}

/// Fields encoded as browsers encode a form.
pub(crate) fn form(fields: &[(&str, &str)]) -> String {
    let escaped = |text: &str| -> String {
        text.bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect()
    };
    let pairs = fields
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name), escaped(value)));
    pairs.collect::<Vec<_>>().join("&")
}

/// The value of the first hidden field of this name on a page.
#[track_caller]
pub(crate) fn hidden(page: &TestResponse, name: &str) -> String {
    let text = page.text();
    let start = format!("name=\"{name}\" value=\"");
    let found = text
        .split_once(&start)
        .and_then(|(_, rest)| rest.split_once('"'));
    let (value, _) = found.unwrap_or_else(|| panic!("no field {name}: {} {text}", page.status));
    value.replace("&#38;", "&")
}
