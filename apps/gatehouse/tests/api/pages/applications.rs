//! `/profile/applications`, `/oauth/applications` and `/admin/applications`.

use crate::support::browser::{Browser, hidden};
use crate::support::{Answer, Server};

const WISH: [(&str, &str); 4] = [
    ("application[name]", "Dashboard"),
    (
        "application[redirect_uri]",
        "https://app.example/cb\nhttps://app.example/other",
    ),
    ("application[confidential]", "1"),
    ("application[scopes][]", "openid"),
];

/// Registers an application, and gives the page that shows it with its secret.
#[track_caller]
fn register(browser: &mut Browser, area: &str) -> Answer {
    let answer = browser.submit(&format!("{area}/new"), area, &WISH);
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer
}

/// The path of an application on the page that shows it.
fn path_of(page: &Answer, area: &str) -> String {
    let text = page.text();
    let start = format!("href=\"{area}/");
    let found = text
        .split(&start)
        .skip(1)
        .filter_map(|rest| rest.split_once("/edit\""));
    let (id, _) = found.last().unwrap();
    format!("{area}/{id}")
}

fn secret_of(page: &Answer) -> Option<String> {
    let text = page.text();
    let (_, rest) = text.split_once("<p class=\"secret\"><code tabindex=\"0\">")?;
    rest.split_once('<').map(|(secret, _)| secret.to_owned())
}

/// OAUTH-12.
#[test]
fn an_application_is_registered_and_its_secret_shown_once() {
    let server = Server::start();
    let mut browser = server.signed_in("developer");
    let made = register(&mut browser, "/oauth/applications");
    let secret = secret_of(&made).unwrap();
    assert!(secret.starts_with("ghos_"), "{secret}");
    let path = path_of(&made, "/oauth/applications");
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
    for told in [
        "https://app.example/cb",
        "https://app.example/other",
        "<code>openid</code>",
        "Confidential",
    ] {
        assert!(shown.contains(told), "{told}: {shown}");
    }
}

#[test]
fn what_is_wrong_is_told_at_each_field_and_what_was_typed_stays() {
    let server = Server::start();
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
    for told in [
        ">The name can&#39;t be blank.<",
        ">The redirect URI cannot contain a fragment. The redirect URI must specify a scheme.<",
        ">The set of scopes doesn&#39;t match configured on the server.<",
        "https://app.example/#fragment &#60;b&#62;",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    assert!(
        browser
            .open("/profile/applications")
            .text()
            .contains("There are none yet.")
    );
}

#[test]
fn a_public_application_is_shown_no_secret() {
    let server = Server::start();
    let mut browser = server.signed_in("developer");
    let public: Vec<_> = WISH
        .into_iter()
        .filter(|(name, _)| !name.contains("confidential"))
        .collect();
    let made = browser.submit("/oauth/applications/new", "/oauth/applications", &public);
    assert_eq!((made.status, secret_of(&made)), (200, None));
    assert!(made.text().contains("Public"));
}

#[test]
fn an_application_is_changed_and_deleted_by_its_owner() {
    let server = Server::start();
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
    assert!(shown.contains("The application is saved."));
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
    let server = Server::start();
    let mut browser = server.signed_in("developer");
    let made = register(&mut browser, "/oauth/applications");
    let path = path_of(&made, "/oauth/applications");
    let renewed = browser.submit(&path, &format!("{path}/renew"), &[]);
    let secret = secret_of(&renewed).unwrap();
    assert_ne!(Some(&secret), secret_of(&made).as_ref());
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
    let server = Server::start();
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
    let server = Server::start();
    let mut admin = server.signed_in("admin");
    let made = register(&mut admin, "/admin/applications");
    let path = path_of(&made, "/admin/applications");
    assert!(
        admin
            .open("/admin/applications")
            .text()
            .contains("Dashboard")
    );
    let mut trusted = vec![("_method", "patch"), ("application[trusted]", "1")];
    trusted.extend_from_slice(&WISH);
    let edit = format!("{path}/edit");
    assert_eq!(admin.submit(&edit, &path, &trusted).status, 303);
    assert!(
        admin
            .open(&path)
            .text()
            .contains("Its users are not asked for consent.")
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
    let refused = dev.submit("/profile", "/admin/applications", &WISH);
    assert_eq!(refused.status, 403);
    assert_eq!(server.browser().open("/admin/applications").status, 303);
    assert!(!dev.open("/profile").text().contains("/admin/"));
}

#[test]
fn nobody_trusts_their_own_application_or_lets_it_act_as_anybody() {
    let server = Server::start();
    let mut dev = server.signed_in("developer");
    let mut wish = WISH.to_vec();
    wish.push(("application[trusted]", "1"));
    let made = dev.submit("/oauth/applications/new", "/oauth/applications", &wish);
    assert_eq!(made.status, 200);
    assert!(!made.text().contains("not asked for consent"));
    assert!(
        !dev.open("/oauth/applications/new")
            .text()
            .contains("value=\"sudo\"")
    );
    let mut wish = WISH.to_vec();
    wish.push(("application[scopes][]", "sudo"));
    let refused = dev.submit("/oauth/applications/new", "/oauth/applications", &wish);
    assert_eq!(refused.status, 422);
}

#[test]
fn a_hostile_name_stays_text_wherever_it_is_shown() {
    let server = Server::start();
    let mut browser = server.signed_in("developer");
    let mut wish = WISH.to_vec();
    wish[0].1 = "<script>alert(1)</script>\"'>";
    let made = browser.submit("/oauth/applications/new", "/oauth/applications", &wish);
    let path = path_of(&made, "/oauth/applications");
    for page in [
        path.as_str(),
        &format!("{path}/edit"),
        "/profile/applications",
    ] {
        let text = browser.open(page).text();
        assert!(!text.contains("<script"), "{page}: {text}");
        assert!(text.contains("&#60;script&#62;"), "{page}");
    }
}

#[test]
fn a_long_list_has_pages() {
    let server = Server::start();
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

/// OAUTH-12, AUTH-08. What nothing implements is not offered, to administrators neither.
#[test]
fn no_scope_is_offered_that_nothing_implements() {
    let server = Server::start();
    let page = server.signed_in("admin").open("/admin/applications/new");
    let page = page.text();
    assert!(page.contains("value=\"read_api\""), "{page}");
    assert!(!page.contains("_repository"), "{page}");
}
