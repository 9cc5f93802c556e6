//! Parts of every page: headers, layout, and error messages.

use crate::support::browser::hidden;
use crate::support::{TestResponse, TestServer};

#[test]
fn pages_load_nothing_but_the_stylesheet_the_script_and_the_icon_which_never_change() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let text = browser.open("/profile").text();
    for (attribute, start, media_type) in [
        ("href", "/assets/app.", "text/css; charset=utf-8"),
        ("src", "/assets/app.", "text/javascript; charset=utf-8"),
        ("href", "/assets/icon.", "image/svg+xml"),
    ] {
        let (_, rest) = text.split_once(&format!("{attribute}=\"{start}")).unwrap();
        let path = format!("{start}{}", rest.split_once('"').unwrap().0);
        let asset = server.anonymous().get(&path);
        assert_eq!(
            (asset.status, asset.header("content-type")),
            (200, Some(media_type))
        );
        assert_eq!(
            asset.header("cache-control"),
            Some("public, max-age=31536000, immutable")
        );
    }
    assert_eq!(text.matches("src=").count(), 1);
    assert!(
        text.contains("\" defer></script>"),
        "a script stands in the page"
    );
    assert_eq!(
        (
            text.matches("<script").count(),
            text.matches("style=").count()
        ),
        (1, 0)
    );
    assert_eq!(
        server
            .anonymous()
            .get("/assets/app.AAAAAAAAAAAA.css")
            .status,
        404
    );
}

#[test]
fn an_unknown_address_is_a_page_for_browsers_and_json_for_programs() {
    let server = TestServer::start();
    let page = server.browser().open("/nowhere/%3Cb%3E");
    assert_eq!(page.status, 404);
    assert!(page.text().contains("Page not found"));
    let answer = server.anonymous().get("/nowhere");
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let api = server.browser().open("/api/v4/nowhere");
    assert_eq!(api.header("content-type"), Some("application/json"));
}

#[test]
fn the_start_is_home_or_the_way_to_sign_in() {
    let server = TestServer::start();
    let redirect_of =
        |answer: TestResponse| (answer.status, answer.header("location").map(str::to_owned));
    assert_eq!(
        redirect_of(server.browser().open("/")),
        (303, Some("/users/sign_in".to_owned()))
    );
    let home = server.signed_in("developer").open("/");
    assert_eq!(home.status, 200);
    assert!(home.text().contains("<h1>Home</h1>"), "{}", home.text());
}

/// Every link of the layout leads to an existing page, and the sign-in page has no search.
#[test]
fn layout_links_resolve_and_the_sign_in_page_has_no_search() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let text = admin.open("/acme/web-shop").text();
    let found = text
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split_once('"'));
    let paths: Vec<&str> = found
        .map(|(path, _)| path)
        .filter(|path| path.starts_with('/'))
        .collect();
    assert!(paths.len() > 12, "{paths:?}");
    for path in paths {
        assert_eq!(admin.open(path).status, 200, "{path}");
    }
    let way_in = server.browser().open("/users/sign_in").text();
    assert!(!way_in.contains("role=\"search\""), "{way_in}");
    assert!(!way_in.contains("<script"), "{way_in}");
}

/// AUTH-03.
#[test]
fn a_form_without_the_token_of_its_browser_is_refused() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let stranger = hidden(
        &server.browser().open("/users/sign_in"),
        "authenticity_token",
    );
    for token in ["", "x", &stranger] {
        let answer = browser.post("/users/sign_out", &[("authenticity_token", token)]);
        assert_eq!(answer.status, 403, "{token}");
        assert!(answer.text().contains("This form is no longer valid"));
    }
    assert_eq!(browser.post("/users/sign_out", &[]).status, 403);
    assert!(browser.is_signed_in());
}

#[test]
fn a_form_from_before_signing_in_is_refused_afterwards() {
    let server = TestServer::start();
    let mut browser = server.browser();
    let before = hidden(&browser.open("/users/sign_in"), "authenticity_token");
    browser.sign_in("dev", &server.password_of("developer"));
    let answer = browser.post("/users/sign_out", &[("authenticity_token", &before)]);
    assert_eq!(answer.status, 403);
}

#[test]
fn a_form_that_another_site_sends_is_refused_with_the_right_token_too() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let token = hidden(&browser.open("/profile"), "authenticity_token");
    let fields = [("authenticity_token", token.as_str())];
    for (name, value) in [
        ("Sec-Fetch-Site", "cross-site"),
        ("Sec-Fetch-Site", "same-site"),
        ("Origin", "https://evil.example"),
        ("Origin", "null"),
    ] {
        let answer = browser
            .clone()
            .with(name, value)
            .post("/users/sign_out", &fields);
        assert_eq!(answer.status, 403, "{name}: {value}");
    }
    let origin = server.base_url().to_owned();
    let ours = browser
        .with("Origin", &origin)
        .with("Sec-Fetch-Site", "same-origin");
    assert_eq!(ours.clone().post("/users/sign_out", &fields).status, 303);
}

#[test]
fn a_script_of_ours_may_send_the_token_as_a_header() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let token = hidden(&browser.open("/profile"), "authenticity_token");
    let answer = browser
        .with("X-CSRF-Token", &token)
        .post("/users/sign_out", &[]);
    assert_eq!(answer.status, 303);
}

#[test]
fn hostile_names_stay_text() {
    let server = TestServer::start();
    let name = "<script>alert(1)</script>\"'><img src=x>";
    let created = server.command_json(&[
        "user",
        "create",
        "--username",
        "eve",
        "--name",
        name,
        "--email",
        "eve@example.com",
        "--json",
    ]);
    let mut browser = server.browser().with("User-Agent", "<img src=y onerror=z>");
    browser.sign_in("eve", created["password"].as_str().unwrap());
    let text = browser.open("/profile").text();
    assert!(
        !text.contains("<script>") && !text.contains("<img"),
        "{text}"
    );
    let failed = server
        .browser()
        .try_sign_in("\"><script>x</script>", "wrong password");
    assert!(!failed.text().contains("<script>"), "{}", failed.text());
}

#[test]
fn invalid_form_requests_return_415_413_or_400() {
    let server = TestServer::start();
    let caller = server.anonymous().with("Accept", "text/html");
    let json = caller.clone().with("Content-Type", "application/json");
    let answer = json.send("POST", "/users/sign_in", b"{}");
    assert_eq!(answer.status, 415);
    let form = caller.with("Content-Type", "application/x-www-form-urlencoded");
    let large = vec![b'x'; 300 * 1024];
    assert_eq!(form.send("POST", "/users/sign_in", &large).status, 413);
    assert_eq!(form.send("POST", "/users/sign_in", b"a=%ff").status, 400);
}

/// A signed-in user can continue from a page that is missing, or that cannot be loaded.
#[test]
fn a_page_about_a_failure_keeps_the_menu_of_who_is_signed_in() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    for (path, status) in [
        ("/no/such/page/at/all", 404),
        ("/nowhere/%3Cb%3E", 404),
        ("/nobody", 404),
        ("/acme/web-shop/-/alert_management/99/details", 404),
        ("/acme/web-shop/-/alert_management?page=x", 400),
        ("/admin/applications", 403),
        ("/admin/users/dev", 403),
        ("/admin/users/dev/tokens", 403),
        ("/admin/audit_events", 403),
        ("/admin/limits", 403),
        ("/admin/server", 403),
        ("/admin/notifications", 403),
        ("/acme/web-shop/-/audit_events", 404),
    ] {
        let page = browser.open(path);
        let text = page.expect_text(status);
        for part in [
            "role=\"alert\"",
            "<summary><span class=\"initial\"",
            "action=\"/users/sign_out\"",
            "placeholder=\"Search projects\"",
            &format!("<dd><code>{status}</code></dd>"),
        ] {
            assert!(text.contains(part), "{path}: {part}: {text}");
        }
        assert_eq!(page.header("cache-control"), Some("no-store"), "{path}");
    }
    // The form of the menu works from there.
    let out = browser.submit("/no/such/page/at/all", "/users/sign_out", &[]);
    assert_eq!(out.status, 303, "{}", out.text());
    // For anonymous visitors the page is unchanged.
    let page = server.browser().open("/nowhere/%3Cb%3E");
    let text = page.expect_text(404);
    assert!(
        !text.contains("class=\"initial\"") && !text.contains("Search"),
        "{text}"
    );
}

/// A notice is kept for the page that it is about.
#[test]
fn a_page_about_a_failure_uses_up_no_notice() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let details = "/acme/web-shop/-/alert_management/1/details";
    let changed = browser.submit(details, details, &[("status", "acknowledged")]);
    assert_eq!(changed.status, 303);
    let failed = browser.open("/no/such/page/at/all").expect_text(404);
    assert!(!failed.contains("class=\"notice\""), "{failed}");
    let page = browser.open(details).expect_text(200);
    assert!(page.contains("Alert acknowledged."), "{page}");
}
