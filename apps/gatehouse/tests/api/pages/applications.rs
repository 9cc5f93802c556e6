//! `/profile/applications`, `/oauth/applications` and `/admin/applications`.

use crate::support::browser::{TestBrowser, hidden};
use crate::support::rows::change;
use crate::support::{TestResponse, TestServer};

const FORM: [(&str, &str); 4] = [
    ("application[name]", "Dashboard"),
    (
        "application[redirect_uri]",
        "https://app.example/cb\nhttps://app.example/other",
    ),
    ("application[confidential]", "1"),
    ("application[scopes][]", "openid"),
];

/// Registers an application, and returns the page with its secret.
#[track_caller]
fn register(browser: &mut TestBrowser, area: &str) -> TestResponse {
    register_as(browser, area, &FORM)
}

#[track_caller]
fn register_as(browser: &mut TestBrowser, area: &str, form: &[(&str, &str)]) -> TestResponse {
    let answer = browser.submit(&format!("{area}/new"), area, form);
    let path = redirect_target(&answer);
    assert!(path.starts_with(&format!("{area}/")), "{path}");
    browser.open(&path)
}

/// The redirect after a successful form, so that a reload does not resend it.
#[track_caller]
fn redirect_target(answer: &TestResponse) -> String {
    assert_eq!(answer.status, 303, "{}", answer.text());
    answer.header("location").unwrap().to_owned()
}

/// The cookie that transports a secret to its page: its name and its value.
fn secret_cookie(answer: &TestResponse) -> Option<(String, String)> {
    let lines = answer
        .headers
        .iter()
        .filter(|(name, _)| name == "set-cookie");
    let found = lines
        .map(|(_, line)| line)
        .find(|line| line.starts_with("_service_secret_"));
    let (name, rest) = found?.split_once('=').unwrap();
    let (value, attributes) = rest.split_once("; ").unwrap();
    assert_eq!(attributes, "HttpOnly; SameSite=Lax; Path=/; Max-Age=60");
    Some((name.to_owned(), value.to_owned()))
}

/// The path of an application, from its page.
fn path_of(page: &TestResponse, area: &str) -> String {
    let text = page.text();
    let start = format!("href=\"{area}/");
    let found = text
        .split(&start)
        .skip(1)
        .filter_map(|rest| rest.split_once("/edit\""));
    let (id, _) = found.last().unwrap();
    format!("{area}/{id}")
}

fn secret_of(page: &TestResponse) -> Option<String> {
    let text = page.text();
    let (_, rest) = text.split_once("<p class=\"secret\"><code tabindex=\"0\">")?;
    rest.split_once('<').map(|(secret, _)| secret.to_owned())
}

/// OAUTH-12.
#[test]
fn an_application_is_registered_and_its_secret_shown_once() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let created = register(&mut browser, "/oauth/applications");
    let secret = secret_of(&created).unwrap();
    assert!(secret.starts_with("ghos_"), "{secret}");
    let path = path_of(&created, "/oauth/applications");
    for page in [
        path.as_str(),
        &format!("{path}/edit"),
        "/profile/applications",
    ] {
        let shown = browser.open(page);
        assert_eq!(shown.status, 200, "{page}");
        assert!(shown.text().contains("Dashboard"), "{page}");
        assert!(!shown.text().contains(&secret), "{page}");
    }
    let shown = browser.open(&path).text();
    for part in [
        "https://app.example/cb",
        "https://app.example/other",
        "<code>openid</code>",
        "Confidential",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

/// OAUTH-12. A reload of the page does not register again and no longer shows the secret.
#[test]
fn a_reload_after_registering_registers_nothing_and_shows_no_secret() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let answer = browser.submit("/oauth/applications/new", "/oauth/applications", &FORM);
    let (name, value) = secret_cookie(&answer).unwrap();
    let path = redirect_target(&answer);
    let shown = browser.open(&path);
    let secret = secret_of(&shown).unwrap();
    assert!(!value.contains(&secret[5..]), "the cookie is sealed");
    assert!(shown.text().contains("Application registered."));
    assert_eq!(
        browser.cookie(&name),
        None,
        "the page takes the cookie away"
    );
    assert_eq!(secret_of(&browser.open(&path)), None);
    let list = browser.open("/profile/applications").text();
    assert_eq!(list.matches("data-label=\"Application ID\"").count(), 1);
}

/// OAUTH-12. A copy of the cookie is worthless at another application, in another session, or after a renewal.
#[test]
fn a_waiting_secret_is_shown_at_its_own_page_in_its_own_session_only() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let area = "/oauth/applications";
    let other = path_of(&register(&mut browser, area), area);
    let answer = browser.submit(&format!("{area}/new"), area, &FORM);
    let ((name, value), path) = (secret_cookie(&answer).unwrap(), redirect_target(&answer));
    let (stem, _) = name.rsplit_once('_').unwrap();
    let (_, other_id) = other.rsplit_once('/').unwrap();
    browser.plant(&format!("{stem}_{other_id}"), &value);
    assert_eq!(secret_of(&browser.open(&other)), None);
    let mut other_browser = server.signed_in("developer");
    other_browser.plant(&name, &value);
    assert_eq!(secret_of(&other_browser.open(&path)), None);
    let mut later = browser.clone();
    assert!(secret_of(&browser.open(&path)).is_some());
    later.submit(&path, &format!("{path}/renew"), &[]);
    later.plant(&name, &value);
    assert_eq!(secret_of(&later.open(&path)), None, "it was renewed");
}

#[test]
fn invalid_applications_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let fields = [
        ("application[name]", " "),
        (
            "application[redirect_uri]",
            "https://app.example/#fragment <b>",
        ),
        ("application[scopes][]", "nonsense"),
    ];
    let answer = browser.submit("/oauth/applications/new", "/oauth/applications", &fields);
    assert_eq!(answer.status, 422);
    let text = answer.text();
    for part in [
        ">The name can&#39;t be blank.<",
        ">The redirect URI cannot contain a fragment. The redirect URI must specify a scheme.<",
        ">The set of scopes doesn&#39;t match configured on the server.<",
        "https://app.example/#fragment &#60;b&#62;",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        browser
            .open("/profile/applications")
            .text()
            .contains("No applications yet.")
    );
}

#[test]
fn a_public_application_is_shown_no_secret() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let public: Vec<_> = FORM
        .into_iter()
        .filter(|(name, _)| !name.contains("confidential"))
        .collect();
    let answer = browser.submit("/oauth/applications/new", "/oauth/applications", &public);
    assert_eq!(secret_cookie(&answer), None);
    let created = browser.open(&redirect_target(&answer));
    assert_eq!((created.status, secret_of(&created)), (200, None));
    assert!(created.text().contains("Public"));
}

/// OpenID Connect RP-Initiated Logout 1.0, section 3.1.
#[test]
fn addresses_for_after_signing_out_are_registered_and_changed() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let (area, name) = (
        "/oauth/applications",
        "application[post_logout_redirect_uris]",
    );
    let form = [&FORM[..], &[(name, "https://app.example/bye")]].concat();
    let answer = browser.submit("/oauth/applications/new", area, &form);
    let path = redirect_target(&answer);
    let created = browser.open(&path);
    assert!(
        created
            .text()
            .contains("<code>https://app.example/bye</code>")
    );
    let edit = format!("{path}/edit");
    let typed = browser.open(&edit).text();
    assert!(
        typed.contains(">https://app.example/bye</textarea>"),
        "{typed}"
    );
    let wrong = [&FORM[..], &[("_method", "patch"), (name, "/bye")]].concat();
    let refused = browser.submit(&edit, &path, &wrong);
    assert_eq!(refused.status, 422);
    let text = refused.text();
    let part = "The redirect URI after sign-out must specify a scheme.";
    assert!(
        text.contains(part) && text.contains(">/bye</textarea>"),
        "{text}"
    );
    let none = [&FORM[..], &[("_method", "patch"), (name, "")]].concat();
    assert_eq!(browser.submit(&edit, &path, &none).status, 303);
    assert!(!browser.open(&path).text().contains("/bye"));
}

#[test]
fn an_application_is_changed_and_deleted_by_its_owner() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let path = path_of(
        &register(&mut browser, "/oauth/applications"),
        "/oauth/applications",
    );
    let edit = format!("{path}/edit");
    let change = [
        ("_method", "patch"),
        ("application[name]", "Renamed"),
        ("application[redirect_uri]", "https://new.example/cb"),
        ("application[confidential]", "1"),
        ("application[scopes][]", "api"),
        ("application[scopes][]", "openid"),
    ];
    let answer = browser.submit(&edit, &path, &change);
    assert_eq!(
        (answer.status, answer.header("location")),
        (303, Some(path.as_str()))
    );
    let shown = browser.open(&path).text();
    assert!(
        shown.contains("Renamed")
            && shown.contains("https://new.example/cb")
            && shown.contains("<code>api</code>")
    );
    assert!(!shown.contains("https://app.example/cb"));
    assert!(shown.contains("Application saved."));
    let deleted = browser.submit(&path, &path, &[("_method", "delete")]);
    assert_eq!(
        (deleted.status, deleted.header("location")),
        (303, Some("/profile/applications"))
    );
    assert_eq!(browser.open(&path).status, 404);
    let unsaid = browser.submit("/profile", &path, &[]);
    assert_eq!(unsaid.status, 400);
}

#[test]
fn a_renewed_secret_is_shown_once_or_given_to_a_script() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let created = register(&mut browser, "/oauth/applications");
    let path = path_of(&created, "/oauth/applications");
    let answer = browser.submit(&path, &format!("{path}/renew"), &[]);
    assert_eq!(redirect_target(&answer), path);
    let renewed = browser.open(&path);
    let secret = secret_of(&renewed).unwrap();
    assert_ne!(Some(&secret), secret_of(&created).as_ref());
    assert!(!browser.open(&path).text().contains(&secret));
    let token = hidden(&browser.open(&path), "authenticity_token");
    let mut script = browser
        .with("Accept", "application/json")
        .with("X-CSRF-Token", &token);
    let answer = script.send("PUT", &format!("{path}/renew"), "");
    let body = answer.expect(200);
    assert!(
        body["secret"].as_str().unwrap().starts_with("ghos_"),
        "{body}"
    );
    assert_eq!(answer.header("cache-control"), Some("no-store"));
}

#[test]
fn the_applications_of_others_are_not_there() {
    let server = TestServer::start();
    let mut owner = server.signed_in("developer");
    let path = path_of(
        &register(&mut owner, "/oauth/applications"),
        "/oauth/applications",
    );
    let instance = path.replace("/oauth/", "/admin/");
    for person in ["reporter", "admin"] {
        let mut other = server.signed_in(person);
        let token = hidden(&other.open("/profile"), "authenticity_token");
        let with = |fields: &[(&'static str, &'static str)]| {
            let mut all = vec![("authenticity_token", token.as_str())];
            all.extend_from_slice(fields);
            crate::support::browser::form(&all)
        };
        assert_eq!(other.open(&path).status, 404, "{person}");
        assert_eq!(other.open(&format!("{path}/edit")).status, 404);
        assert_eq!(
            other
                .send("POST", &path, &with(&[("_method", "delete")]))
                .status,
            404
        );
        assert_eq!(
            other
                .send("POST", &path, &with(&[("_method", "patch")]))
                .status,
            404
        );
        assert_eq!(
            other
                .send("POST", &format!("{path}/renew"), &with(&[]))
                .status,
            404
        );
        assert!(
            !other
                .open("/profile/applications")
                .text()
                .contains("Dashboard")
        );
    }
    assert_eq!(server.signed_in("admin").open(&instance).status, 404);
    assert_eq!(owner.open(&path).status, 200);
    for nothing in [
        "/oauth/applications/0",
        "/oauth/applications/x",
        "/oauth/applications/99999999999999999999",
    ] {
        assert_eq!(owner.open(nothing).status, 404, "{nothing}");
    }
}

#[test]
fn the_applications_of_the_instance_are_the_administrators() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let created = register(&mut admin, "/admin/applications");
    let path = path_of(&created, "/admin/applications");
    assert!(
        admin
            .open("/admin/applications")
            .text()
            .contains("Dashboard")
    );
    let mut trusted = vec![("_method", "patch"), ("application[trusted]", "1")];
    trusted.extend_from_slice(&FORM);
    let edit = format!("{path}/edit");
    assert_eq!(admin.submit(&edit, &path, &trusted).status, 303);
    assert!(
        admin
            .open(&path)
            .text()
            .contains("Users are not asked for consent.")
    );
    let own = path.replace("/admin/", "/oauth/");
    assert_eq!(admin.open(&own).status, 404);
    let mut dev = server.signed_in("developer");
    for page in [
        "/admin/applications",
        "/admin/applications/new",
        &path,
        &edit,
    ] {
        assert_eq!(dev.open(page).status, 403, "{page}");
    }
    let refused = dev.submit("/profile", "/admin/applications", &FORM);
    assert_eq!(refused.status, 403);
    assert_eq!(server.browser().open("/admin/applications").status, 303);
    assert!(!dev.open("/profile").text().contains("/admin/"));
}

#[test]
fn user_owned_applications_cannot_be_trusted_or_have_the_sudo_scope() {
    let server = TestServer::start();
    let mut dev = server.signed_in("developer");
    let mut form = FORM.to_vec();
    form.push(("application[trusted]", "1"));
    let created = register_as(&mut dev, "/oauth/applications", &form);
    assert_eq!(created.status, 200);
    assert!(!created.text().contains("not asked for consent"));
    assert!(
        !dev.open("/oauth/applications/new")
            .text()
            .contains("value=\"sudo\"")
    );
    let mut form = FORM.to_vec();
    form.push(("application[scopes][]", "sudo"));
    let refused = dev.submit("/oauth/applications/new", "/oauth/applications", &form);
    assert_eq!(refused.status, 422);
}

#[test]
fn a_hostile_name_stays_text_wherever_it_is_shown() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    let mut form = FORM.to_vec();
    form[0].1 = "<script>alert(1)</script>\"'>";
    let created = register_as(&mut browser, "/oauth/applications", &form);
    let path = path_of(&created, "/oauth/applications");
    for page in [
        path.as_str(),
        &format!("{path}/edit"),
        "/profile/applications",
    ] {
        let text = browser.open(page).text();
        assert!(!text.contains("<script>"), "{page}: {text}");
        assert!(text.contains("&#60;script&#62;"), "{page}");
    }
}

/// OAUTH-12. A name that reorders text or is invisible is refused; a stored one is shown harmlessly.
#[test]
fn deceptive_names_are_rejected_and_stored_ones_are_sanitized() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    for (name, part) in [
        (
            "Shop\u{202e}elgooG",
            "The name can&#39;t contain line breaks",
        ),
        ("Shop\u{2066}x", "The name can&#39;t contain line breaks"),
        ("Sh\nop", "The name can&#39;t contain line breaks"),
        ("\u{200b}\u{2060}", "The name can&#39;t be blank."),
    ] {
        let mut form = FORM.to_vec();
        form[0].1 = name;
        let answer = browser.submit("/oauth/applications/new", "/oauth/applications", &form);
        assert_eq!(answer.status, 422, "{name:?}");
        assert!(answer.text().contains(part), "{name:?}: {}", answer.text());
    }
    let path = path_of(
        &register(&mut browser, "/oauth/applications"),
        "/oauth/applications",
    );
    let long = "x".repeat(200);
    let old = format!("UPDATE oauth_applications SET name = char(8238) || '{long}'");
    change(&server, &old);
    let cut = format!(
        "<bdi class=\"name\" title=\"\u{fffd}{long}\">\u{fffd}{}…</bdi>",
        &long[..58]
    );
    for page in [&path, "/profile/applications"] {
        let text = browser.open(page).text();
        assert!(!text.contains('\u{202e}'), "{page}: {text}");
        assert!(text.contains(&cut), "{page}: {text}");
    }
    let edit = browser.open(&format!("{path}/edit")).text();
    assert!(edit.contains(&long), "the form holds all of it: {edit}");
}

#[test]
fn a_long_list_has_pages() {
    let server = TestServer::start();
    let mut browser = server.signed_in("developer");
    for _ in 0..51 {
        register(&mut browser, "/oauth/applications");
    }
    let first = browser.open("/profile/applications").text();
    let second = browser.open("/profile/applications?page=2").text();
    let count = |text: &str| text.matches("data-label=\"Application ID\"").count();
    assert_eq!((count(&first), count(&second)), (50, 1));
    assert!(first.contains("?page=2") && second.contains("?page=1"));
}

/// OAUTH-12, OAUTH-15, AUTH-08. Scopes of container registries are not offered, not even to administrators.
#[test]
fn no_scope_is_offered_that_applications_cannot_use() {
    let server = TestServer::start();
    let page = server.signed_in("admin").open("/admin/applications/new");
    let page = page.text();
    assert!(page.contains("value=\"write_repository\""), "{page}");
    assert!(!page.contains("_registry"), "{page}");
}
