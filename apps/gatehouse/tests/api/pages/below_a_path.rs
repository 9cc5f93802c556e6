//! Pages of a server below a path of its host. A proxy removes the path from requests; every link and redirect includes
//! it.

use crate::support::browser::{TestBrowser, form, hidden};
use crate::support::{TestResponse, TestServer};

const MOUNT: &str = "/gatehouse";
const CALLBACK: &str = "https://shop.example/cb";

/// The addresses on a page.
fn addresses(page: &TestResponse) -> Vec<String> {
    let text = page.text();
    let of = |attribute: &str| -> Vec<String> {
        let found = text.split(attribute).skip(1);
        let found = found.filter_map(|rest| rest.split_once('"'));
        found.map(|(address, _)| address.to_owned()).collect()
    };
    ["href=\"", "action=\"", "src=\""].map(of).concat()
}

/// Opens a page, and asserts that its links stay within the server.
#[track_caller]
fn open_within_mount(browser: &mut TestBrowser, path: &str, status: u16) -> TestResponse {
    let page = browser.open(&format!("{MOUNT}{path}"));
    assert_eq!(page.status, status, "{path}: {}", page.text());
    let addresses = addresses(&page);
    assert!(addresses.len() >= 3, "{path}: {addresses:?}");
    for address in addresses {
        let is_within = address.starts_with(&format!("{MOUNT}/"));
        assert!(is_within || address.starts_with('#'), "{path}: {address}");
    }
    page
}

#[test]
fn links_of_all_pages_stay_within_the_mount_path() {
    let server = TestServer::start_below(MOUNT);
    let mut visitor = server.browser();
    let page = open_within_mount(&mut visitor, "/users/sign_in", 200);
    open_within_mount(&mut visitor, "/nowhere", 404);
    for asset in addresses(&page)
        .iter()
        .filter(|path| path.contains("/assets/"))
    {
        assert_eq!(visitor.open(asset).status, 200, "{asset}");
    }
    let created = server.create_application("Shop", &[CALLBACK], "api openid", true);
    let id = &created["id"];
    let mut admin = server.signed_in("admin");
    for path in [
        "/",
        "/dashboard/projects",
        "/explore/projects?search=nothing",
        "/acme/web-shop",
        "/acme/web-shop/-/alert_management?order_by=severity",
        "/acme/web-shop/-/alert_management/1/details",
        "/acme/web-shop/-/activity",
        "/acme/web-shop/-/milestones?state=closed",
        "/acme/web-shop/-/milestones/new",
        "/acme/web-shop/-/labels/new",
        "/profile",
        "/profile/applications",
        "/profile/personal_access_tokens",
        "/profile/two_factor",
        "/oauth/applications/new",
        "/admin/applications",
        "/admin/applications/new",
        "/admin/users/dev",
        "/admin/users/dev/tokens",
        "/admin/audit_events",
        "/admin/limits",
        "/admin/server",
        "/admin/notifications",
        "/acme/web-shop/-/audit_events",
        "/groups/acme/-/audit_events",
        &format!("/admin/applications/{id}"),
        &format!("/admin/applications/{id}/edit"),
    ] {
        open_within_mount(&mut admin, path, 200);
    }
    let led = admin.open(&format!("{MOUNT}/oauth/applications"));
    let address = led.header("location").unwrap();
    assert!(address.starts_with("/gatehouse/profile"), "{address}");
    let label = [("name", "bug"), ("color", "#fff")];
    let from = format!("{MOUNT}/acme/web-shop/-/labels");
    let led = admin.submit(&format!("{from}/new"), &from, &label);
    assert_eq!(led.header("location"), Some(&*from));
}

/// AUTH-03, OAUTH-01. From the home page through sign-in to an application, and sign-out.
#[test]
fn signing_in_and_authorizing_go_their_whole_way() {
    let server = TestServer::start_below(MOUNT);
    let created = server.create_application("Shop", &[CALLBACK], "api openid", true);
    let client_id = created["client_id"].as_str().unwrap();
    let query = form(&[
        ("client_id", client_id),
        ("redirect_uri", CALLBACK),
        ("response_type", "code"),
        ("scope", "api"),
    ]);
    let mut browser = server.browser();
    let page = browser.visit(&format!("{MOUNT}/oauth/authorize?{query}"));
    let password = server.password_of("developer");
    let (token, back) = (
        hidden(&page, "authenticity_token"),
        hidden(&page, "return_to"),
    );
    let fields = [
        ("authenticity_token", token.as_str()),
        ("return_to", back.as_str()),
        ("user[login]", "dev"),
        ("user[password]", password.as_str()),
    ];
    let signed_in = browser.post(&format!("{MOUNT}/users/sign_in"), &fields);
    let back = signed_in.header("location").unwrap().to_owned();
    assert_eq!(back, format!("{MOUNT}/oauth/authorize?{query}"));
    let question = browser.open(&back);
    let (token, handle) = (
        hidden(&question, "authenticity_token"),
        hidden(&question, "handle"),
    );
    let fields = [("authenticity_token", &*token), ("handle", &*handle)];
    let answer = browser.post(&format!("{MOUNT}/oauth/authorize"), &fields);
    let address = answer.header("location").unwrap();
    assert!(
        address.starts_with(&format!("{CALLBACK}?code=")),
        "{address}"
    );
    assert!(address.contains("%2Fgatehouse"), "the issuer: {address}");
    let (profile, leave) = ("/gatehouse/profile", "/gatehouse/users/sign_out");
    let signed_out = browser.submit(profile, leave, &[]);
    assert_eq!(
        signed_out.header("location"),
        Some("/gatehouse/users/sign_in")
    );
    assert_eq!(browser.open(profile).status, 303);
}

#[test]
fn cookies_are_for_the_path_of_the_server_alone() {
    let server = TestServer::start_below(MOUNT);
    let page = server.browser().open("/gatehouse/users/sign_in");
    let cookie = page.header("set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/gatehouse"), "{cookie}");
}
