//! An application, and its requests.

use super::{OauthRequest, VERIFIER};
use crate::support::TestServer;

/// An application.
#[derive(Debug, Clone)]
pub(in crate::oauth) struct OauthClient {
    /// The client id.
    pub(in crate::oauth) id: String,
    /// The client secret; `None` for a public application.
    pub(in crate::oauth) secret: Option<String>,
    /// The redirect URI.
    pub(in crate::oauth) redirect_uri: String,
}

impl OauthClient {
    /// The demo's confidential application.
    pub(in crate::oauth) fn web(server: &TestServer) -> Self {
        Self {
            id: server.text("/oauth/client_id").to_owned(),
            secret: Some(server.text("/oauth/client_secret").to_owned()),
            redirect_uri: server.text("/oauth/redirect_uri").to_owned(),
        }
    }

    /// The demo's public application.
    pub(in crate::oauth) fn tool(server: &TestServer) -> Self {
        Self {
            id: server.text("/oauth/public_client_id").to_owned(),
            secret: None,
            redirect_uri: server.text("/oauth/redirect_uri").to_owned(),
        }
    }

    /// Registers an application with this redirect URI and further flags of the command line.
    pub(in crate::oauth) fn register(
        server: &TestServer,
        redirect_uri: &str,
        flags: &[&str],
    ) -> Self {
        let command = ["application", "create", "--name", "Another", "--json"];
        let address = ["--redirect-uri", redirect_uri];
        let created = server.command_json(&[&command[..], &address, flags].concat());
        Self {
            id: created["client_id"].as_str().unwrap().to_owned(),
            secret: created["client_secret"].as_str().map(str::to_owned),
            redirect_uri: redirect_uri.to_owned(),
        }
    }

    /// The same application with another redirect URI.
    pub(in crate::oauth) fn at(&self, redirect_uri: &str) -> Self {
        Self {
            redirect_uri: redirect_uri.to_owned(),
            ..self.clone()
        }
    }

    /// An authorization request with all parameters that this application needs: a public one sends a challenge.
    pub(in crate::oauth) fn authorization_request(&self) -> OauthRequest {
        let request = OauthRequest::default()
            .with("client_id", &self.id)
            .with("redirect_uri", &self.redirect_uri)
            .with("response_type", "code")
            .with("scope", "api")
            .with("state", "s-1");
        if self.secret.is_some() {
            request
        } else {
            request.with_challenge()
        }
    }

    /// A token request with the credentials of this application in the form.
    pub(in crate::oauth) fn form(&self, grant_type: &str) -> OauthRequest {
        let request = OauthRequest::default()
            .with("grant_type", grant_type)
            .with("client_id", &self.id);
        match &self.secret {
            Some(secret) => request.with("client_secret", secret),
            None => request,
        }
    }

    /// The form that redeems a code. A public application authenticates the request by its verifier.
    pub(in crate::oauth) fn redemption(&self, code: &str) -> OauthRequest {
        let request = self
            .form("authorization_code")
            .with("code", code)
            .with("redirect_uri", &self.redirect_uri);
        if self.secret.is_some() {
            request
        } else {
            request.with("code_verifier", VERIFIER)
        }
    }

    /// The form that uses a refresh token.
    pub(in crate::oauth) fn refresh_request(&self, refresh_token: &str) -> OauthRequest {
        self.form("refresh_token")
            .with("refresh_token", refresh_token)
    }
}
