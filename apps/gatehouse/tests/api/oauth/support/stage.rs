//! All that a test needs: a server, a browser, and an application.

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
    /// The stage with the demo's application that keeps a secret.
    pub(in crate::oauth) fn web() -> Self {
        Self::of(Server::start(), Client::web)
    }

    /// The stage with the demo's application that keeps none.
    pub(in crate::oauth) fn tool() -> Self {
        Self::of(Server::start(), Client::tool)
    }

    /// The stage on a server with a configuration, with the demo's application that keeps a secret.
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

    /// Opens a request and, when the user is asked, says yes: the answer that goes to the application.
    #[track_caller]
    pub(in crate::oauth) fn land(&mut self, request: &Request) -> Landing {
        let answer = self.browser.open(&request.path());
        if answer.status == 200 {
            Landing::of(&approve(&mut self.browser, &answer))
        } else {
            Landing::of(&answer)
        }
    }

    /// A code for what this application usually asks for.
    #[track_caller]
    pub(in crate::oauth) fn code(&mut self) -> String {
        let request = self.client.asks();
        self.land(&request).code()
    }

    /// Tokens for these scopes.
    #[track_caller]
    pub(in crate::oauth) fn tokens(&mut self, scope: &str) -> Tokens {
        let request = self.client.asks().with("scope", scope);
        let code = self.land(&request).code();
        Tokens::of(&self.client.redeems(&code).ask(&self.server))
    }

    /// Refreshes, and gives the answer.
    #[track_caller]
    pub(in crate::oauth) fn refresh(&self, refresh_token: &str) -> Answer {
        self.client.refreshes(refresh_token).ask(&self.server)
    }

    /// What the API answers to a token.
    #[track_caller]
    pub(in crate::oauth) fn use_token(&self, access_token: &str) -> Answer {
        let caller = Caller::bearer(self.server.base_url(), access_token);
        caller.get("/api/v4/user")
    }
}
