//! An application, and what it sends.

use super::{Request, VERIFIER};
use crate::support::Server;

/// An application.
#[derive(Debug, Clone)]
pub(in crate::oauth) struct Client {
    /// Its public name.
    pub(in crate::oauth) id: String,
    /// Its secret; `None` for a public one.
    pub(in crate::oauth) secret: Option<String>,
    /// Where its users are sent back to.
    pub(in crate::oauth) redirect_uri: String,
}

impl Client {
    /// The demo's application that keeps a secret.
    pub(in crate::oauth) fn web(server: &Server) -> Self {
        Self {
            id: server.text("/oauth/client_id").to_owned(),
            secret: Some(server.text("/oauth/client_secret").to_owned()),
            redirect_uri: server.text("/oauth/redirect_uri").to_owned(),
        }
    }

    /// The demo's application that keeps none.
    pub(in crate::oauth) fn tool(server: &Server) -> Self {
        Self {
            id: server.text("/oauth/public_client_id").to_owned(),
            secret: None,
            redirect_uri: server.text("/oauth/redirect_uri").to_owned(),
        }
    }

    /// A new application with this address, and with these further flags of the command line.
    pub(in crate::oauth) fn register(server: &Server, redirect_uri: &str, flags: &[&str]) -> Self {
        let command = ["application", "create", "--name", "Another", "--json"];
        let address = ["--redirect-uri", redirect_uri];
        let made = server.command_json(&[&command[..], &address, flags].concat());
        Self {
            id: made["client_id"].as_str().unwrap().to_owned(),
            secret: made["client_secret"].as_str().map(str::to_owned),
            redirect_uri: redirect_uri.to_owned(),
        }
    }

    /// The same application as one that is sent back to another address.
    pub(in crate::oauth) fn at(&self, redirect_uri: &str) -> Self {
        Self {
            redirect_uri: redirect_uri.to_owned(),
            ..self.clone()
        }
    }

    /// A request for authorization with all that this application needs: a public one sends a challenge.
    pub(in crate::oauth) fn asks(&self) -> Request {
        let request = Request::default()
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

    /// A request for tokens with the credentials of this application in the form.
    pub(in crate::oauth) fn form(&self, grant_type: &str) -> Request {
        let request = Request::default()
            .with("grant_type", grant_type)
            .with("client_id", &self.id);
        match &self.secret {
            Some(secret) => request.with("client_secret", secret),
            None => request,
        }
    }

    /// The form that redeems a code. A public application proves with the verifier that it asked for it.
    pub(in crate::oauth) fn redeems(&self, code: &str) -> Request {
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

    /// The form that refreshes.
    pub(in crate::oauth) fn refreshes(&self, refresh_token: &str) -> Request {
        self.form("refresh_token")
            .with("refresh_token", refresh_token)
    }
}
