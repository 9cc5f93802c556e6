//! The consent page, and the user's answer.

use crate::oauth::support::{AUTHORIZE, Landing, OauthClient, OauthFixture, approve, deny};
use crate::support::browser::hidden;
use crate::support::rows::change;
use crate::support::{TestCaller, TestServer};

/// D11. No other site can embed the page, and the page loads nothing and does nothing by itself.
#[test]
fn the_page_is_shown_by_us_alone_and_does_nothing_by_itself() {
    let mut fixture = OauthFixture::web();
    let page = fixture
        .browser
        .open(&fixture.client.authorization_request().path());
    assert_eq!(page.status, 200);
    assert_eq!(page.header("x-frame-options"), Some("DENY"));
    let policy = page.header("content-security-policy").unwrap();
    assert_eq!(
        policy,
        "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; \
         frame-ancestors 'none'"
    );
    assert_eq!(page.header("referrer-policy"), Some("same-origin"));
    assert_eq!(page.header("cache-control"), Some("no-store"));
    let text = page.text();
    for unwanted in [
        "<script",
        "http-equiv",
        "onload",
        "src=\"http",
        "href=\"http",
    ] {
        assert!(!text.contains(unwanted), "{unwanted}: {text}");
    }
}

/// OAUTH-01, OAUTH-12. The application, the user, the scopes, and the redirect host.
#[test]
fn the_consent_page_names_application_user_and_scopes() {
    let server = TestServer::start();
    let flags = ["--scopes", "read_user,openid,email", "--owner", "rita"];
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example:8443/cb?x=1", &flags)
    });
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid read_user");
    let text = fixture.browser.open(&request.path()).text();
    for part in [
        "Another",
        "rita",
        "dev",
        "<code>openid</code>",
        "<code>read_user</code>",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("shop.example"), "{text}");
    assert!(!text.contains("<code>email</code>"), "{text}");
}

/// OAUTH-01. The redirect host, the owner of the application and the signed-in user come before the scopes, and no name
/// is repeated.
#[test]
fn the_consent_page_names_redirect_target_owner_and_user() {
    let mut fixture = OauthFixture::web();
    let text = fixture
        .browser
        .open(&fixture.client.authorization_request().path())
        .text();
    let head = text.split_once("If you authorize it").unwrap().0;
    for part in [
        "You will be sent to <strong class=\"breakable\">a program on your own computer</strong>",
        "Registered by the administrators",
        "Signed in as <strong>dev</strong>",
    ] {
        assert!(head.contains(part), "{part}: {head}");
    }
    let main = text.split_once("<main").unwrap().1;
    assert_eq!(main.matches("<bdi class=\"name\">").count(), 1, "{main}");
    assert_eq!(text.matches("<strong>dev</strong>").count(), 1, "{text}");
    assert!(!text.contains("who-name"), "{text}");
    let (_, rest) = text
        .split_once("<a href=\"/users/sign_in?return_to=")
        .unwrap();
    assert!(
        rest.contains("again=choose_account\">Use another account</a>"),
        "{rest}"
    );
}

/// OAUTH-01, OAUTH-12. Scopes are grouped; a wider one covers others, and dangerous ones are marked in words.
#[test]
fn the_scopes_are_grouped_and_the_dangerous_ones_marked() {
    let server = TestServer::start();
    let flags = ["--scopes", "api,read_api,read_user,openid,profile,email"];
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example/cb", &flags)
    });
    let shown = |fixture: &mut OauthFixture, scope: &str| {
        let request = fixture.client.authorization_request().with("scope", scope);
        let text = fixture.browser.open(&request.path()).text();
        let list = text.split_once("If you authorize it").unwrap().1;
        let list = list.split_once("<div class=\"actions\">").unwrap().0;
        let parts = list.split(['<', '>']).map(str::trim);
        let expected = |part: &&str| {
            let is_word = part.starts_with(char::is_lowercase) && !part.contains([' ', '/', '=']);
            let is_heading = matches!(*part, "Who you are" | "Read" | "Write" | "High risk");
            is_heading || is_word && gatehouse_core::scopes::registry().find(part).is_some()
        };
        parts
            .filter(expected)
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let all = shown(&mut fixture, "api read_api read_user openid profile email");
    assert_eq!(all, ["Who you are", "openid", "Write", "api", "High risk"]);
    let reading = shown(&mut fixture, "openid profile email read_api");
    assert_eq!(reading, ["Who you are", "openid", "Read", "read_api"]);
    let identity = shown(&mut fixture, "openid profile email");
    assert_eq!(identity, ["Who you are", "openid", "email"]);
}

/// OAUTH-09. The page lists the data that `openid` alone reveals.
#[test]
fn the_consent_page_lists_the_data_that_openid_reveals() {
    let server = TestServer::start();
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example/cb", &["--scopes", "openid"])
    });
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "openid");
    let page = fixture.browser.open(&request.path()).text();
    assert!(
        page.contains("your name, your username and the address of your profile"),
        "{page}"
    );
    let tokens = fixture.tokens("openid");
    let caller = TestCaller::bearer(fixture.server.base_url(), &tokens.access);
    let response = caller.get("/oauth/userinfo").expect(200);
    let members: Vec<&String> = response.as_object().unwrap().keys().collect();
    let names = ["name", "nickname", "preferred_username", "profile", "sub"];
    assert_eq!(members, names);
}

/// AUTH-08. A user who cannot use `sudo` is not asked about it, and does not grant it for a later promotion.
#[test]
fn only_administrators_are_offered_the_sudo_scope() {
    let server = TestServer::start();
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, "https://shop.example/cb", &["--scopes", "api,sudo"])
    });
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "api sudo");
    let page = fixture.browser.open(&request.path());
    assert!(
        !page.text().contains("<code>sudo</code>"),
        "{}",
        page.text()
    );
    assert_eq!(fixture.tokens("api sudo").body["scope"], "api");
    let alone = fixture.client.authorization_request().with("scope", "sudo");
    assert_eq!(fixture.land(&alone).get("error"), Some("invalid_scope"));
    fixture.browser = fixture.server.signed_in("admin");
    let page = fixture.browser.open(&request.path());
    assert!(page.text().contains("<code>sudo</code>"), "{}", page.text());
    assert_eq!(fixture.tokens("api sudo").body["scope"], "api sudo");
}

/// A stored name from before names were validated reorders nothing, and leaves the rest of the page visible.
#[test]
fn an_old_name_is_isolated_and_cut_with_a_way_to_see_all_of_it() {
    let mut fixture = OauthFixture::web();
    let long = "x".repeat(200);
    let old = format!("UPDATE oauth_applications SET name = char(8238) || '{long}'");
    change(&fixture.server, &old);
    let text = fixture
        .browser
        .open(&fixture.client.authorization_request().path())
        .text();
    assert!(!text.contains('\u{202e}'), "{text}");
    let whole = format!("\u{fffd}{long}");
    let cut = format!(
        "<bdi class=\"name\" title=\"{whole}\">\u{fffd}{}…</bdi>?",
        &long[..58]
    );
    assert!(text.contains(&cut), "{text}");
    assert!(
        text.contains(&format!("<bdi class=\"breakable\">{whole}</bdi>")),
        "{text}"
    );
    let page = fixture
        .server
        .browser()
        .visit(&fixture.client.authorization_request().path())
        .text();
    assert!(
        !page.contains('\u{202e}') && page.contains("…</bdi>"),
        "{page}"
    );
}

/// D11, lesson 20. The form carries only the handle of the stored request; other fields have no effect.
#[test]
fn consent_grants_the_stored_request_regardless_of_form_fields() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "read_user");
    let page = fixture.browser.open(&request.path());
    let text = page.text();
    for absent in [
        "name=\"scope\"",
        "name=\"redirect_uri\"",
        "name=\"client_id\"",
        "name=\"state\"",
    ] {
        assert!(!text.contains(absent), "{absent}");
    }
    let (token, handle) = (hidden(&page, "authenticity_token"), hidden(&page, "handle"));
    let other = OauthClient::tool(&fixture.server);
    let changed = other
        .authorization_request()
        .with("scope", "api")
        .with("state", "s-2");
    let fields = [
        ("authenticity_token", &*token),
        ("handle", &*handle),
        ("scope", "api"),
        ("state", "s-2"),
        ("client_id", &*other.id),
        ("redirect_uri", "https://evil.example/cb"),
    ];
    let answer = fixture.browser.post(&changed.path(), &fields);
    let landing = Landing::of(&answer);
    assert_eq!(landing.address, fixture.client.redirect_uri);
    assert_eq!(landing.get("state"), Some("s-1"));
    let response = fixture
        .client
        .redemption(&landing.code())
        .send(&fixture.server)
        .expect(200);
    assert_eq!(response["scope"], "read_user");
}

/// D11. Another site can make a browser send a form, but cannot know the token in ours.
#[test]
fn a_form_without_our_token_approves_nothing() {
    let mut fixture = OauthFixture::web();
    let page = fixture
        .browser
        .open(&fixture.client.authorization_request().path());
    let (token, handle) = (hidden(&page, "authenticity_token"), hidden(&page, "handle"));
    for fields in [
        &[("handle", &*handle)][..],
        &[("handle", &*handle), ("authenticity_token", "")],
        &[("handle", &*handle), ("authenticity_token", "x")],
    ] {
        let answer = fixture.browser.post(AUTHORIZE, fields);
        assert_eq!((answer.status, answer.header("location")), (403, None));
    }
    let cross_origin = fixture
        .browser
        .clone()
        .with("Origin", "https://evil.example");
    let whole = [("handle", &*handle), ("authenticity_token", &*token)];
    let answer = { cross_origin }.post(AUTHORIZE, &whole);
    assert_eq!((answer.status, answer.header("location")), (403, None));
    Landing::of(&approve(&mut fixture.browser, &page)).code();
}

/// D11. Following a link, or loading an image of it, grants nothing.
#[test]
fn no_address_approves_anything() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    let (token, handle) = (hidden(&page, "authenticity_token"), hidden(&page, "handle"));
    for more in [
        request
            .clone()
            .with("handle", &handle)
            .with("authenticity_token", &token),
        request
            .clone()
            .with("approve", "true")
            .with("_method", "post"),
        request
            .clone()
            .with("prompt", "consent")
            .with("handle", &handle),
    ] {
        let answer = fixture.browser.open(&more.path());
        assert_eq!((answer.status, answer.header("location")), (200, None));
    }
    let silent = request.with("prompt", "none");
    let landing = fixture.land(&silent);
    assert_eq!(landing.get("error"), Some("consent_required"));
}

/// D7, lesson 20. A request is answered once, whether approved or denied.
#[test]
fn a_question_is_answered_once() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    Landing::of(&approve(&mut fixture.browser, &page)).code();
    assert_eq!(approve(&mut fixture.browser, &page).status, 403);
    assert_eq!(deny(&mut fixture.browser, &page).status, 403);
    let again = request.with("prompt", "consent");
    let page = fixture.browser.open(&again.path());
    assert_eq!(
        Landing::of(&deny(&mut fixture.browser, &page)).get("error"),
        Some("access_denied")
    );
    let answer = approve(&mut fixture.browser, &page);
    assert_eq!((answer.status, answer.header("location")), (403, None));
}

/// Lesson 20. A handle is worthless in another browser, for another user, or without a user.
#[test]
fn a_consent_handle_is_valid_only_in_its_own_session() {
    let mut fixture = OauthFixture::web();
    let page = fixture
        .browser
        .open(&fixture.client.authorization_request().path());
    let handle = hidden(&page, "handle");
    let others = [
        fixture.server.signed_in("reporter"),
        fixture.server.signed_in("developer"),
        fixture.server.browser(),
    ];
    for mut other in others {
        let own = other.open("/users/sign_in?again=1");
        let token = hidden(&own, "authenticity_token");
        let fields = [("authenticity_token", &*token), ("handle", &*handle)];
        let answer = other.post(AUTHORIZE, &fields);
        assert_eq!((answer.status, answer.header("location")), (403, None));
    }
    Landing::of(&approve(&mut fixture.browser, &page)).code();
}

/// D7. A user who returns later than ten minutes is asked again.
#[test]
fn a_question_waits_for_ten_minutes() {
    let mut fixture = OauthFixture::web();
    for (moved, status) in [(590, 303), (601, 403)] {
        let request = fixture
            .client
            .authorization_request()
            .with("prompt", "consent");
        let page = fixture.browser.open(&request.path());
        let past = format!(
            "UPDATE oauth_authorization_requests SET expires_at = expires_at - {moved}000000"
        );
        change(&fixture.server, &past);
        let answer = approve(&mut fixture.browser, &page);
        assert_eq!(answer.status, status, "{moved}");
    }
}

/// OAUTH-01. A denial grants nothing, and is not remembered as consent.
#[test]
fn a_denial_permits_nothing() {
    let mut fixture = OauthFixture::web();
    let request = fixture.client.authorization_request();
    let page = fixture.browser.open(&request.path());
    let landing = Landing::of(&deny(&mut fixture.browser, &page));
    assert_eq!(landing.get("error"), Some("access_denied"));
    assert_eq!(landing.get("code"), None);
    assert_eq!(
        fixture.browser.open(&request.path()).status,
        200,
        "asked again"
    );
}

/// OAUTH-01. A confidential application does not need consent twice, unless it requests more.
#[test]
fn a_yes_is_remembered_for_an_application_with_a_secret() {
    let mut fixture = OauthFixture::web();
    let request = fixture
        .client
        .authorization_request()
        .with("scope", "read_user openid");
    fixture.tokens("read_user openid");
    for scope in ["read_user openid", "openid read_user"] {
        let answer = fixture
            .browser
            .open(&request.clone().with("scope", scope).path());
        Landing::of(&answer).code();
    }
    for scope in ["read_user openid email", "read_user", "api"] {
        let answer = fixture
            .browser
            .open(&request.clone().with("scope", scope).path());
        assert_eq!(
            (answer.status, answer.header("location")),
            (200, None),
            "{scope}"
        );
    }
    let mut reporter = fixture.server.signed_in("reporter");
    assert_eq!(
        reporter.open(&request.path()).status,
        200,
        "each user is asked"
    );
}

/// Lesson 8. Any program can claim to be a public application, so its user is asked each time.
#[test]
fn public_applications_require_consent_each_time() {
    let mut fixture = OauthFixture::tool();
    for _ in 0..2 {
        let request = fixture.client.authorization_request();
        let page = fixture.browser.open(&request.path());
        assert_eq!(page.status, 200);
        let code = Landing::of(&approve(&mut fixture.browser, &page)).code();
        fixture
            .client
            .redemption(&code)
            .send(&fixture.server)
            .assert_ok();
    }
}

/// OAUTH-12. For a trusted application the user is not asked, unless the application requests it.
#[test]
fn trusted_applications_skip_consent_unless_requested() {
    let server = TestServer::start();
    let address = "https://intranet.example/cb";
    let mut fixture = OauthFixture::of(server, |server| {
        OauthClient::register(server, address, &["--trusted", "--scopes", "api,openid"])
    });
    let request = fixture.client.authorization_request();
    let code = Landing::of(&fixture.browser.open(&request.path())).code();
    fixture
        .client
        .redemption(&code)
        .send(&fixture.server)
        .assert_ok();
    let with_consent = request.clone().with("prompt", "consent");
    assert_eq!(fixture.browser.open(&with_consent.path()).status, 200);
    let more = request.with("scope", "sudo");
    assert_eq!(fixture.land(&more).get("error"), Some("invalid_scope"));
}
