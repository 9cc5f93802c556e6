//! Applications on the user's own machine, which listen on any free port (RFC 8252, section 7.3).

use super::address::assert_page;
use crate::oauth::support::{IssuedTokens, OauthClient, OauthFixture, assert_refused};
use crate::support::TestServer;

/// D2, D18, lesson 16. The port may differ each time, and the token request names the one that was used.
#[test]
fn a_public_application_listens_at_any_port() {
    let mut fixture = OauthFixture::tool();
    for host in ["127.0.0.1", "[::1]", "localhost"] {
        let registered = format!("http://{host}/auth/redirect?x=1");
        fixture.client = OauthClient::register(&fixture.server, &registered, &["--public"]);
        let used = format!("http://{host}:49152/auth/redirect?x=1");
        let request = fixture.client.at(&used).authorization_request();
        let landing = fixture.land(&request);
        assert_eq!(landing.address, used.trim_end_matches("?x=1"));
        let code = landing.code();
        assert_refused(
            &fixture.client.redemption(&code).send(&fixture.server),
            400,
            "invalid_grant",
        );
        IssuedTokens::of(
            &fixture
                .client
                .at(&used)
                .redemption(&code)
                .send(&fixture.server),
        );
    }
}

/// D2, lesson 16. Only the port may differ.
#[test]
fn loopback_redirect_uris_may_differ_only_in_the_port() {
    let server = TestServer::start();
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "http://127.0.0.1:7171/auth?x=1", &["--public"])
    });
    for other in [
        "http://localhost:7171/auth?x=1",
        "http://[::1]:7171/auth?x=1",
        "http://127.0.0.2:7171/auth?x=1",
        "http://127.1:7171/auth?x=1",
        "https://127.0.0.1:7171/auth?x=1",
        "http://127.0.0.1:7171/Auth?x=1",
        "http://127.0.0.1:7171/auth/?x=1",
        "http://127.0.0.1:7171/auth?x=2",
        "http://127.0.0.1:7171/auth",
        "http://127.0.0.1:0/auth?x=1",
        "http://127.0.0.1:65536/auth?x=1",
        "http://127.0.0.1:/auth?x=1",
        "http://u@127.0.0.1:7171/auth?x=1",
        "http://u:p@127.0.0.1:7171/auth?x=1",
        "http://127.0.0.1:7171@evil.example/auth?x=1",
        "http://127.0.0.1.evil.example:7171/auth?x=1",
        "http://127.0.0.1:1\\@evil.example/auth?x=1",
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("redirect_uri", other);
        assert_page(
            &fixture.browser.open(&request.path()),
            "invalid_redirect_uri",
        );
    }
}

/// D2, D18. A confidential application may also listen on any port of the user's own machine. The token request names
/// the one that was used.
#[test]
fn an_application_with_a_secret_listens_at_any_port_of_a_loopback_address() {
    let mut fixture = OauthFixture::web();
    for host in ["127.0.0.1", "[::1]"] {
        let registered = format!("http://{host}:8090/callback");
        fixture.client = OauthClient::register(&fixture.server, &registered, &[]);
        let used = format!("http://{host}:8091/callback");
        let request = fixture.client.at(&used).authorization_request();
        let landing = fixture.land(&request);
        assert_eq!(landing.address, used);
        let code = landing.code();
        assert_refused(
            &fixture.client.redemption(&code).send(&fixture.server),
            400,
            "invalid_grant",
        );
        IssuedTokens::of(
            &fixture
                .client
                .at(&used)
                .redemption(&code)
                .send(&fixture.server),
        );
    }
}

/// D2. A redirect URI of a confidential application with a host name, or on another machine, has a fixed port.
#[test]
fn confidential_redirect_uris_have_a_fixed_port_outside_http_loopback_ips() {
    let mut fixture = OauthFixture::web();
    for host in [
        "http://localhost",
        "https://127.0.0.1",
        "https://shop.example",
    ] {
        fixture.client =
            OauthClient::register(&fixture.server, &format!("{host}:8090/callback"), &[]);
        let other = format!("{host}:8091/callback");
        let request = fixture
            .client
            .authorization_request()
            .with("redirect_uri", &other);
        assert_page(
            &fixture.browser.open(&request.path()),
            "invalid_redirect_uri",
        );
    }
}

/// RFC 8252, section 7.1. A mobile app has a private-use URI scheme, which is also compared byte for byte.
#[test]
fn an_app_is_called_by_its_own_scheme() {
    let mut fixture = OauthFixture::tool();
    let address = "com.example.app:/oauth/cb";
    fixture.client = OauthClient::register(&fixture.server, address, &["--public"]);
    for other in [
        "com.example.app:/oauth/cb/",
        "com.example.app://oauth/cb",
        "com.example.App:/oauth/cb",
    ] {
        let request = fixture
            .client
            .authorization_request()
            .with("redirect_uri", other);
        assert_page(
            &fixture.browser.open(&request.path()),
            "invalid_redirect_uri",
        );
    }
    let request = fixture.client.authorization_request();
    let landing = fixture.land(&request);
    assert_eq!(landing.address, address);
    IssuedTokens::of(
        &fixture
            .client
            .redemption(&landing.code())
            .send(&fixture.server),
    );
}
