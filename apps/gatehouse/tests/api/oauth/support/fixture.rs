//! The stage of a test: a server, a browser, and an application.

use super::{IssuedTokens, Landing, OauthClient, OauthRequest, approve};
use crate::support::browser::TestBrowser;
use crate::support::{TestCaller, TestResponse, TestServer};

/// A server, the demo's developer in a browser, and an application.
#[derive(Debug)]
pub(in crate::oauth) struct OauthFixture {
    /// The server.
    pub(in crate::oauth) server: TestServer,
    /// The browser.
    pub(in crate::oauth) browser: TestBrowser,
    /// The application.
    pub(in crate::oauth) client: OauthClient,
}

impl OauthFixture {
    /// The stage with the demo's confidential application.
    pub(in crate::oauth) fn web() -> Self {
        Self::of(TestServer::start(), OauthClient::web)
    }

    /// The stage with the demo's public application.
    pub(in crate::oauth) fn tool() -> Self {
        Self::of(TestServer::start(), OauthClient::tool)
    }

    /// The stage on a server with a configuration, with the demo's confidential application.
    pub(in crate::oauth) fn configured(configuration: &str) -> Self {
        Self::of(
            TestServer::start_configured(configuration),
            OauthClient::web,
        )
    }

    /// The stage on a server.
    pub(in crate::oauth) fn of(
        server: TestServer,
        client: impl FnOnce(&TestServer) -> OauthClient,
    ) -> Self {
        Self {
            browser: server.signed_in("developer"),
            client: client(&server),
            server,
        }
    }

    /// Opens an authorization request and consents if asked. Returns the redirect to the application.
    #[track_caller]
    pub(in crate::oauth) fn land(&mut self, request: &OauthRequest) -> Landing {
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
        let request = self.client.authorization_request();
        self.land(&request).code()
    }

    /// Requests tokens with these scopes.
    #[track_caller]
    pub(in crate::oauth) fn tokens(&mut self, scope: &str) -> IssuedTokens {
        let request = self.client.authorization_request().with("scope", scope);
        let code = self.land(&request).code();
        IssuedTokens::of(&self.client.redemption(&code).send(&self.server))
    }

    /// Uses a refresh token, and returns the response.
    #[track_caller]
    pub(in crate::oauth) fn refresh(&self, refresh_token: &str) -> TestResponse {
        self.client
            .refresh_request(refresh_token)
            .send(&self.server)
    }

    /// Response of the API to a token.
    #[track_caller]
    pub(in crate::oauth) fn use_token(&self, access_token: &str) -> TestResponse {
        let caller = TestCaller::bearer(self.server.base_url(), access_token);
        caller.get("/api/v4/user")
    }
}
