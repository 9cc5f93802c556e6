//! An application that signs users in: it redirects browsers, redeems codes, and refreshes and revokes its tokens.

use serde_json::{Value, json};

use super::browser::{TestBrowser, form, hidden};
use super::{TestCaller, TestResponse, TestServer};

/// Redirect URI of the tests' applications.
pub(crate) const REDIRECT_URI: &str = "https://shop.example/cb";

/// Scopes of the tests' applications.
pub(crate) const SCOPES: &str = "api read_user";

/// A confidential application.
#[derive(Debug, Clone)]
pub(crate) struct RelyingParty {
    base_url: String,
    /// The application's id.
    pub(crate) id: String,
    client_id: String,
    client_secret: String,
    /// Scopes that it is registered with and requests.
    scopes: String,
}

/// Both tokens of a response.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct RelyingPartyTokens {
    /// The access token.
    pub(crate) access: String,
    /// The refresh token.
    pub(crate) refresh: String,
}

impl RelyingPartyTokens {
    /// The tokens of a successful response.
    #[track_caller]
    pub(crate) fn of(answer: &TestResponse) -> Self {
        let body = answer.expect(200);
        let text = |name: &str| body[name].as_str().unwrap().to_owned();
        Self {
            access: text("access_token"),
            refresh: text("refresh_token"),
        }
    }
}

impl TestServer {
    /// Registers an application of the instance.
    #[track_caller]
    pub(crate) fn relying_party(&self, name: &str) -> RelyingParty {
        self.relying_party_with(name, SCOPES)
    }

    /// Registers an application of the instance with these scopes.
    #[track_caller]
    pub(crate) fn relying_party_with(&self, name: &str, scopes: &str) -> RelyingParty {
        let metadata = json!({ "name": name, "redirect_uri": REDIRECT_URI, "scopes": scopes });
        let created = self.admin().post("/api/v4/applications", &metadata);
        let created = created.expect(201);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        RelyingParty {
            base_url: self.base_url().to_owned(),
            id: created["id"].to_string(),
            client_id: text(&created["application_id"]),
            client_secret: text(&created["secret"]),
            scopes: scopes.to_owned(),
        }
    }
}

impl RelyingParty {
    /// The same application, with another process on the same database.
    pub(crate) fn at(&self, server: &TestServer) -> Self {
        Self {
            base_url: server.base_url().to_owned(),
            ..self.clone()
        }
    }

    /// The same application with the secret in a response.
    #[track_caller]
    pub(crate) fn with_secret_of(self, answer: &TestResponse) -> Self {
        let client_secret = answer.expect(200)["secret"].as_str().unwrap().to_owned();
        Self {
            client_secret,
            ..self
        }
    }

    /// The authorization path of the application, with further parameters.
    pub(crate) fn authorize_path(&self, more: &[(&str, &str)]) -> String {
        let fixed = [
            ("client_id", self.client_id.as_str()),
            ("redirect_uri", REDIRECT_URI),
            ("response_type", "code"),
            ("scope", self.scopes.as_str()),
        ];
        format!("/oauth/authorize?{}", form(&[&fixed[..], more].concat()))
    }

    /// The handle of a request on its consent page.
    #[track_caller]
    pub(crate) fn question(&self, browser: &mut TestBrowser) -> String {
        let page = browser.open(&self.authorize_path(&[("prompt", "consent")]));
        assert_eq!(page.status, 200, "{}", page.text());
        hidden(&page, "handle")
    }

    /// Gets a code by a user's consent.
    #[track_caller]
    pub(crate) fn code(&self, browser: &mut TestBrowser) -> String {
        let handle = self.question(browser);
        let answer = agree(browser, &handle);
        code_of(&answer).unwrap_or_else(|| panic!("{} {}", answer.status, answer.text()))
    }

    /// Gets tokens by a user's consent.
    #[track_caller]
    pub(crate) fn tokens(&self, browser: &mut TestBrowser) -> RelyingPartyTokens {
        let code = self.code(browser);
        RelyingPartyTokens::of(&self.redeem(&code))
    }

    /// Redeems a code.
    #[track_caller]
    pub(crate) fn redeem(&self, code: &str) -> TestResponse {
        let fields = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", REDIRECT_URI),
        ];
        self.post("/oauth/token", &fields).unwrap()
    }

    /// Uses a refresh token.
    #[track_caller]
    pub(crate) fn refresh(&self, token: &str) -> TestResponse {
        self.try_refresh(token).unwrap()
    }

    /// Uses a refresh token at a server that may end before it answers.
    pub(crate) fn try_refresh(&self, token: &str) -> Result<TestResponse, ureq::Error> {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token)];
        self.post("/oauth/token", &fields)
    }

    /// Uses a refresh token to request these scopes.
    #[track_caller]
    pub(crate) fn refresh_for(&self, token: &str, scope: &str) -> TestResponse {
        let fields = [
            ("grant_type", "refresh_token"),
            ("refresh_token", token),
            ("scope", scope),
        ];
        self.post("/oauth/token", &fields).unwrap()
    }

    /// Revokes a token.
    #[track_caller]
    pub(crate) fn revoke(&self, token: &str) -> TestResponse {
        self.try_revoke(token).unwrap()
    }

    /// Revokes a token at a server that may end before it answers.
    pub(crate) fn try_revoke(&self, token: &str) -> Result<TestResponse, ureq::Error> {
        self.post("/oauth/revoke", &[("token", token)])
    }

    /// Requests a token with a password.
    #[track_caller]
    pub(crate) fn by_password(&self, username: &str, password: &str) -> TestResponse {
        let fields = [
            ("grant_type", "password"),
            ("username", username),
            ("password", password),
        ];
        self.post("/oauth/token", &fields).unwrap()
    }

    /// Response of the API to an access token.
    #[track_caller]
    pub(crate) fn call(&self, access: &str) -> TestResponse {
        TestCaller::bearer(&self.base_url, access).get("/api/v4/user")
    }

    fn post(&self, path: &str, fields: &[(&str, &str)]) -> Result<TestResponse, ureq::Error> {
        let own = [
            ("client_id", self.client_id.as_str()),
            ("client_secret", self.client_secret.as_str()),
        ];
        let body = form(&[&own[..], fields].concat());
        TestCaller::new(&self.base_url, None)
            .with("Content-Type", "application/x-www-form-urlencoded")
            .try_send("POST", path, body.as_bytes())
    }
}

/// Approves a request, with a form token from the browser's current page.
#[track_caller]
pub(crate) fn agree(browser: &mut TestBrowser, handle: &str) -> TestResponse {
    let from = if browser.is_signed_in() {
        "/profile"
    } else {
        "/users/sign_in"
    };
    browser.submit(from, "/oauth/authorize", &[("handle", handle)])
}

/// The code in the redirect of a response, if there is one.
pub(crate) fn code_of(answer: &TestResponse) -> Option<String> {
    let address = answer.header("location")?;
    let query = address.strip_prefix(REDIRECT_URI)?.strip_prefix('?')?;
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .find(|(name, _)| *name == "code")
        .map(|(_, code)| code.to_owned())
}
