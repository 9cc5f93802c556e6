//! Rate limits of requests.
//!
//! Windows of a day begin at midnight (UTC), so that no window ends within a test on any other minute.

use serde_json::json;

use crate::support::rows::number;
use crate::support::{TestCaller, TestResponse, TestServer, eventually};

const DAY: i64 = 86_400;
const TOO_OFTEN: &str = "This endpoint has been requested too many times. Try again later.";

/// Limits of all calls, behind a trusted proxy.
const OF_ALL: &str = "[limits]\nauthenticated_api = \"5/86400s\"\nunauthenticated_api = \"3/86400s\"\n\
    unauthenticated_web = \"6/86400s\"\n[server]\ntrusted_proxies = \"127.0.0.0/8\"\n";

/// Limits of similar operations, behind a trusted proxy.
const OF_OPERATIONS: &str = "[limits]\nissue_creation = \"2/86400s\"\nnote_creation = \"2/86400s\"\n\
    search = \"2/86400s\"\nanonymous_search = \"1/86400s\"\nuser_lookup = \"2/86400s\"\n\
    anonymous_project_list = \"2/86400s\"\nmember_deletion = \"1/86400s\"\njob_list = \"1/1s\"\n\
    token_endpoint = \"2/86400s\"\nprotected_paths = \"3/86400s\"\n\
    [server]\ntrusted_proxies = \"127.0.0.0/8\"\n";

impl TestServer {
    /// A caller without credentials at an address, as a trusted proxy reports it.
    fn anonymous_at(&self, address: &str) -> TestCaller {
        self.anonymous().with("X-Forwarded-For", address)
    }
}

fn number_in(response: &TestResponse, name: &str) -> i64 {
    let value = response.header(name);
    value.and_then(|text| text.parse().ok()).unwrap()
}

/// Checks the headers of a refusal by a limit with a window of a day.
#[track_caller]
fn assert_limited(response: &TestResponse, limit: &str, requests: i64, observed: i64) {
    assert_eq!(response.status, 429, "{}", response.text());
    let scaled = (requests * 60 + DAY - 1) / DAY;
    for (name, expected) in [
        ("RateLimit-Name", format!("throttle_{limit}")),
        ("RateLimit-Limit", scaled.to_string()),
        ("RateLimit-Observed", observed.to_string()),
        ("RateLimit-Remaining", "0".to_owned()),
        (
            "RateLimit-Policy",
            format!("\"{limit}\";q={requests};w={DAY}"),
        ),
    ] {
        assert_eq!(response.header(name), Some(expected.as_str()), "{name}");
    }
    let wait = number_in(response, "Retry-After");
    assert!((1..=DAY).contains(&wait), "{wait}");
    assert_eq!(number_in(response, "RateLimit-Reset") % DAY, 0);
    let reset = response.header("RateLimit-ResetTime").unwrap();
    assert!(reset.ends_with(" 00:00:00 GMT"), "{reset}");
    let standard = format!("\"{limit}\";r=0;t={wait}");
    assert_eq!(response.header("RateLimit"), Some(standard.as_str()));
}

/// Checks that the first `requests` calls are not limited and that the next one is.
#[track_caller]
fn assert_limit(limit: &str, requests: i64, call: impl Fn() -> TestResponse) -> TestResponse {
    for _ in 0..requests {
        let response = call();
        assert_ne!(response.status, 429, "{limit}: {}", response.text());
        for name in ["RateLimit-Name", "RateLimit", "Retry-After"] {
            assert_eq!(response.header(name), None, "{limit}: {name}");
        }
    }
    let refused = call();
    assert_limited(&refused, limit, requests, requests + 1);
    refused
}

/// LIMIT-01.
#[test]
fn callers_over_their_limit_get_429_and_nobody_else_does() {
    let server = TestServer::start_logged(&format!("{OF_ALL}[log]\nlevel = \"info\"\n"));
    let developer = server.developer().with("X-Forwarded-For", "192.0.2.1");
    let user = "/api/v4/user";
    let refused = assert_limit("authenticated_api", 5, || developer.get(user));
    assert_eq!(refused.text(), "Retry later\n");
    let media_type = refused.header("content-type");
    assert_eq!(media_type, Some("text/plain; charset=utf-8"));
    // The body of a refused request is not read: this one is no JSON.
    let unread = developer.post_bytes(&server.below_project("/issues"), b"{");
    assert_limited(&unread, "authenticated_api", 5, 7);

    // Another user at the address, and anonymous callers there, are counted separately.
    let reporter = server.reporter().with("X-Forwarded-For", "192.0.2.1");
    reporter.get(user).expect(200);
    let version = "/api/v4/projects";
    let at_address = server.anonymous_at("192.0.2.1");
    assert_limit("unauthenticated_api", 3, || at_address.get(version));
    server.anonymous_at("192.0.2.2").get(version).expect(200);
    reporter.get(user).expect(200);
    // A wrong token counts for the address.
    let wrong = server
        .anonymous_at("192.0.2.3")
        .with("PRIVATE-TOKEN", "wrong");
    assert_limit("unauthenticated_api", 3, || wrong.get(user));
    let page = server.anonymous_at("192.0.2.1").with("Accept", "text/html");
    assert_limit("unauthenticated_web", 6, || page.get("/explore/projects"));

    // Health checks and intake are exempt, also from limited addresses.
    let sender = server.sender().with("X-Forwarded-For", "192.0.2.1");
    for _ in 0..10 {
        at_address.get("/-/health").expect_text(200);
        at_address.get("/-/readiness").assert_ok();
        let alert = sender.post(&server.generic(), &json!({"title": "Disk full"}));
        alert.assert_ok();
    }

    let mut admin = server.signed_in("admin");
    let shown = admin.open("/admin/limits").expect_text(200);
    let order = [
        "unauthenticated_web",
        "unauthenticated_api",
        "authenticated_api",
    ];
    let places = order.map(|name| shown.find(&format!("<code>{name}</code>")).unwrap());
    assert!(places.is_sorted(), "the newest come first: {places:?}");
    for text in [
        "title=\"@dev\"",
        "title=\"192.0.2.1\"",
        "title=\"192.0.2.3\"",
        "5 requests in 86,400 seconds",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(!shown.contains("192.0.2.2"), "{shown}");
    assert_eq!(
        server.signed_in("reporter").open("/admin/limits").status,
        403
    );

    // Each caller is logged once in a window.
    let log = server.log();
    let lines = log
        .lines()
        .filter(|line| line.contains("rate limit exceeded"));
    assert_eq!(lines.count(), 4, "{log}");
}

/// LIMIT-01.
#[test]
fn operations_that_can_be_abused_have_limits_of_their_own() {
    let server = TestServer::start_configured(OF_OPERATIONS);
    let developer = server.developer();
    let issues = server.below_project("/issues");
    let create = |caller: &TestCaller| caller.post(&issues, &json!({"title": "Disk full"}));
    let refused = assert_limit("issue_creation", 2, || create(&developer));
    refused.assert_is(429, &json!({"message": {"error": TOO_OFTEN}}));
    assert_eq!(
        number(
            &server,
            "SELECT count(*) FROM issues WHERE title = 'Disk full'"
        ),
        2
    );
    create(&server.reporter()).expect(201);
    developer.get(&issues).expect(200);

    let notes = server.below_project("/issues/1/notes");
    let note = json!({"body": "Looking"});
    assert_limit("note_creation", 2, || developer.post(&notes, &note));
    let search = "/api/v4/issues?search=disk";
    assert_limit("search", 2, || developer.get(search));
    developer.get("/api/v4/issues?search=").expect(200);
    let anonymous = server.anonymous_at("192.0.2.1");
    assert_limit("anonymous_search", 1, || anonymous.get(search));
    let lookup = "/api/v4/users/1";
    assert_limit("user_lookup", 2, || developer.get(lookup));
    for _ in 0..4 {
        assert_ne!(server.admin().get(lookup).status, 429);
    }
    let projects = "/api/v4/projects";
    assert_limit("anonymous_project_list", 2, || anonymous.get(projects));
    developer.get(projects).expect(200);
    server.anonymous_at("192.0.2.2").get(projects).expect(200);
    let member = server.below_project("/members/99999");
    assert_limit("member_deletion", 1, || developer.delete(&member));
    developer.get(&server.below_project("/members")).expect(200);

    let token = || {
        let form = b"grant_type=authorization_code";
        let caller = anonymous.clone();
        let caller = caller.with("Content-Type", "application/x-www-form-urlencoded");
        caller.send("POST", "/oauth/token", form)
    };
    let refused = assert_limit("token_endpoint", 2, token);
    assert_eq!(refused.expect(429)["error"], "temporarily_unavailable");

    // A form of a page, by its user.
    let mut browser = server.signed_in("developer");
    let fields = [("issue[title]", "Disk full")];
    let page = "/acme/web-shop/-/issues";
    let refused = browser.submit(&format!("{page}/new"), page, &fields);
    assert_limited(&refused, "issue_creation", 2, 4);
    assert_eq!(refused.text(), format!("{TOO_OFTEN}\n"));
}

#[test]
fn sign_in_is_limited_by_address_before_and_by_user_after_it() {
    let server = TestServer::start_configured(OF_OPERATIONS);
    let at = |address: &str| server.browser().with("X-Forwarded-For", address);
    for _ in 0..3 {
        assert_eq!(at("192.0.2.1").try_sign_in("dev", "wrong").status, 422);
    }
    let right = server.password_of("developer");
    let refused = at("192.0.2.1").try_sign_in("dev", &right);
    assert_limited(&refused, "protected_paths", 3, 4);
    assert_eq!(refused.text(), "Retry later\n");
    at("192.0.2.2").sign_in("dev", &right);

    let mut developer = server.signed_in("developer");
    let mut change = || {
        developer
            .submit("/profile", "/profile/password", &[])
            .status
    };
    let statuses = [change(), change(), change(), change()];
    assert!(!statuses[..3].contains(&429), "{statuses:?}");
    assert_eq!(statuses[3], 429);
    // Others at the address are not affected.
    server.signed_in("reporter");
}

#[test]
fn a_limit_ends_with_its_window() {
    let server = TestServer::start_configured(OF_OPERATIONS);
    let developer = server.developer();
    let jobs = server.below_project("/jobs");
    let status = || developer.get(&jobs).status;
    eventually("a list is refused", || (status() == 429).then_some(()));
    eventually("the window ends", || (status() == 200).then_some(()));
    eventually("the next window is limited, too", || {
        (status() == 429).then_some(())
    });
}

#[test]
fn limits_are_on_by_default_where_abuse_hurts() {
    let server = TestServer::start_configured("[limits]\n");
    let mut admin = server.signed_in("admin");
    let page = admin.open("/admin/limits").expect_text(200);
    assert!(page.contains("No caller was limited."), "{page}");
    let off = "<span class=\"quiet\">off</span>";
    for (limit, quota) in [
        ("unauthenticated_api", off),
        ("authenticated_api", off),
        ("unauthenticated_web", off),
        ("authenticated_web", off),
        ("protected_paths", "10 requests in 60 seconds"),
        ("token_endpoint", off),
        ("issue_creation", "300 requests in 60 seconds"),
        ("note_creation", "300 requests in 60 seconds"),
        ("search", "30 requests in 60 seconds"),
        ("anonymous_search", "10 requests in 60 seconds"),
        ("user_lookup", "300 requests in 600 seconds"),
        ("anonymous_project_list", "400 requests in 600 seconds"),
        ("member_deletion", "60 requests in 60 seconds"),
        ("job_list", "600 requests in 60 seconds"),
    ] {
        let (_, row) = page.split_once(&format!("<code>{limit}</code>")).unwrap();
        let (row, _) = row.split_once("</tr>").unwrap();
        assert!(row.contains(quota), "{limit}: {row}");
    }
    let listed = admin.open("/admin/applications").text();
    assert!(listed.contains("href=\"/admin/limits\""), "{listed}");
}
