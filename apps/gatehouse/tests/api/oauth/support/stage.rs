//! The stage of a test: a server, a browser, and an application.

use super::{Client, Landing, Request, Tokens, approve};
use crate::support::browser::Browser;
use crate::support::{Answer, Caller, Server};

/// A server, the demo's developer in a browser, and an application.
#[derive(Debug)]
pub(in crate::oauth) struct Stage {
    /// The server.
    pub(in crate::oauth) server: Server,
    /// The browser.
    pub(in crate::oauth) browser: Browser,
    /// The application.
    pub(in crate::oauth) client: Client,
}

impl Stage {
    /// The stage with the demo's confidential application.
    pub(in crate::oauth) fn web() -> Self {
        Self::of(Server::start(), Client::web)
    }

    /// The stage with the demo's public application.
    pub(in crate::oauth) fn tool() -> Self {
        Self::of(Server::start(), Client::tool)
    }

    /// The stage on a server with a configuration, with the demo's confidential application.
    pub(in crate::oauth) fn configured(configuration: &str) -> Self {
        Self::of(Server::start_configured(configuration), Client::web)
    }

    /// The stage on a server.
    pub(in crate::oauth) fn of(server: Server, client: impl FnOnce(&Server) -> Client) -> Self {
        Self {
            browser: server.signed_in("developer"),
            client: client(&server),
            server,
        }
    }

    /// Opens an authorization request and consents if asked. Returns the redirect to the application.
    #[track_caller]
    pub(in crate::oauth) fn land(&mut self, request: &Request) -> Landing {
        let answer = self.browser.open(&request.path());
        if answer.status == 200 {
            Landing::of(&approve(&mut self.browser, &answer))
        } else {
            Landing::of(&answer)
        }
    }

    /// Requests an authorization code with the application's usual parameters.
    #[track_caller]
    pub(in crate::oauth) fn code(&mut self) -> String {
        let request = self.client.asks();
        self.land(&request).code()
    }

    /// Requests tokens with these scopes.
    #[track_caller]
    pub(in crate::oauth) fn tokens(&mut self, scope: &str) -> Tokens {
        let request = self.client.asks().with("scope", scope);
        let code = self.land(&request).code();
        Tokens::of(&self.client.redeems(&code).ask(&self.server))
    }

    /// Uses a refresh token, and returns the response.
    #[track_caller]
    pub(in crate::oauth) fn refresh(&self, refresh_token: &str) -> Answer {
        self.client.refreshes(refresh_token).ask(&self.server)
    }

    /// Response of the API to a token.
    #[track_caller]
    pub(in crate::oauth) fn use_token(&self, access_token: &str) -> Answer {
        let caller = Caller::bearer(self.server.base_url(), access_token);
        caller.get("/api/v4/user")
    }
}
