//! The parameters of a request.

use super::{AUTHORIZE, CHALLENGE};
use crate::support::browser::form;
use crate::support::{TestResponse, TestServer};

/// The parameters of a request, in order.
#[derive(Debug, Clone, Default)]
pub(in crate::oauth) struct OauthRequest(Vec<(String, String)>);

impl OauthRequest {
    /// The request with a parameter that replaces any others with its name.
    pub(in crate::oauth) fn with(self, name: &str, value: &str) -> Self {
        let mut request = self.without(name);
        request.0.push((name.to_owned(), value.to_owned()));
        request
    }

    /// The request without a parameter.
    pub(in crate::oauth) fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        self
    }

    /// The request with one more parameter, even if its name exists already.
    pub(in crate::oauth) fn and(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The request with a PKCE challenge.
    pub(in crate::oauth) fn with_challenge(self) -> Self {
        self.with("code_challenge", CHALLENGE)
            .with("code_challenge_method", "S256")
    }

    /// The parameters, URL-encoded.
    pub(in crate::oauth) fn encoded(&self) -> String {
        let pairs: Vec<(&str, &str)> = self.0.iter().map(|(a, b)| (&**a, &**b)).collect();
        form(&pairs)
    }

    /// The path of the authorization endpoint with these parameters.
    pub(in crate::oauth) fn path(&self) -> String {
        format!("{AUTHORIZE}?{}", self.encoded())
    }

    /// Sends the parameters as a form to an endpoint.
    #[track_caller]
    pub(in crate::oauth) fn post(&self, server: &TestServer, path: &str) -> TestResponse {
        post(server, path, &self.encoded())
    }

    /// Sends the parameters to the token endpoint.
    #[track_caller]
    pub(in crate::oauth) fn send(&self, server: &TestServer) -> TestResponse {
        self.post(server, "/oauth/token")
    }
}

/// Sends an encoded form.
#[track_caller]
pub(in crate::oauth) fn post(server: &TestServer, path: &str, body: &str) -> TestResponse {
    server
        .anonymous()
        .with("Content-Type", "application/x-www-form-urlencoded")
        .send("POST", path, body.as_bytes())
}
