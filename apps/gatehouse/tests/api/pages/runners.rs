//! `/-/settings/runners` of projects and groups.

use serde_json::json;

use super::tokens::secret_of;
use crate::support::{TestCaller, TestServer};

const PAGES: [&str; 2] = [
    "/acme/web-shop/-/settings/runners",
    "/groups/acme/-/settings/runners",
];

/// DEPR-05. The token of a new runner is shown once.
#[test]
fn a_runner_is_created_paused_resumed_and_deleted_on_the_page() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    for page in PAGES {
        assert!(admin.open(page).expect_text(200).contains("No runners."));
        let fields = [
            ("runner[description]", "<b>big</b>"),
            ("runner[tag_list]", "linux, big"),
        ];
        let created = admin.submit(page, page, &fields);
        assert_eq!(created.status, 303, "{}", created.text());
        let location = created.header("location").unwrap().to_owned();
        let shown = admin.open(&location);
        let secret = secret_of(&shown).unwrap();
        assert!(secret.starts_with("ghrt_"), "{secret}");
        assert_eq!(secret_of(&admin.open(&location)), None);
        let text = shown.text();
        assert!(!text.contains("<b>big"), "{text}");
        for part in ["linux, big", "Never connected"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let program = TestCaller::new(server.base_url(), None);
        let token = json!({ "token": secret });
        assert_eq!(program.post("/api/v4/jobs/request", &token).status, 204);
        assert!(
            admin
                .open(page)
                .text()
                .contains("data-label=\"Status\">Online")
        );
        let verified = program.post("/api/v4/runners/verify", &token).expect(200);
        let path = format!("{page}/{}", verified["id"]);
        for (action, notice, is_paused) in [
            ("pause", "Runner paused.", true),
            ("resume", "Runner resumed.", false),
            ("delete", "Runner deleted.", false),
        ] {
            let changed = admin.submit(page, &path, &[("action", action)]);
            assert_eq!(changed.header("location"), Some(page), "{action}");
            let text = admin.open(page).text();
            assert!(text.contains(notice), "{notice}: {text}");
            assert_eq!(text.contains(">Paused<"), is_paused, "{action}");
        }
        assert_eq!(program.post("/api/v4/jobs/request", &token).status, 403);
        let again = admin.submit(page, &path, &[("action", "delete")]);
        assert_eq!(again.status, 404);
        let long = "x".repeat(1025);
        let refused = admin.submit(page, page, &[("runner[description]", &long)]);
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert!(refused.text().contains("Runner not created: "));
    }
    // A Developer manages no runners.
    let mut developer = server.signed_in("developer");
    for page in PAGES {
        assert_eq!(developer.open(page).status, 404, "{page}");
    }
}

/// Registers a runner with a registration token, and returns the status.
fn register(server: &TestServer, token: &str, description: &str) -> u16 {
    let fields = json!({ "token": token, "description": description });
    server.anonymous().post("/api/v4/runners", &fields).status
}

/// DEPR-05. The new token is shown once on the page, and to managers in the JSON of the place, until release 17.0.
#[test]
fn registration_tokens_are_reset_on_pages_and_shown_to_managers() {
    let server = TestServer::start_configured("[api]\nrelease = \"16.11\"\n");
    let mut admin = server.signed_in("admin");
    let token_in =
        |caller: &TestCaller, path: &str| caller.get(path).expect(200)["runners_token"].clone();
    let project = server.below_project("");
    for (page, reset, path) in [
        (
            PAGES[0],
            "/acme/web-shop/-/settings/registration_token",
            &*project,
        ),
        (
            PAGES[1],
            "/groups/acme/-/settings/registration_token",
            "/api/v4/groups/acme",
        ),
        ("/admin/runners", "/admin/registration_token", ""),
    ] {
        if !path.is_empty() {
            let before = server.admin().get(path).expect(200);
            assert_eq!(before.get("runners_token"), Some(&json!(null)), "{path}");
        }
        let mut tokens = Vec::new();
        for _ in 0..2 {
            let changed = admin.submit(page, reset, &[]);
            let location = changed.header("location").unwrap().to_owned();
            assert_eq!(location, format!("{page}?registration=1"));
            let shown = admin.open(&location);
            assert!(shown.text().contains("Registration token reset."), "{page}");
            tokens.push(secret_of(&shown).unwrap());
            assert_eq!(secret_of(&admin.open(&location)), None, "{page}");
        }
        assert!(
            tokens[1].starts_with("ghrr_") && tokens[0] != tokens[1],
            "{tokens:?}"
        );
        if !path.is_empty() {
            assert_eq!(token_in(&server.admin(), path), json!(tokens[1]));
            let developer = server.developer().get(path).expect(200);
            assert_eq!(developer.get("runners_token"), None, "{path}");
        }
        assert_eq!(register(&server, &tokens[0], "old"), 403, "{page}");
        assert_eq!(register(&server, &tokens[1], page), 201, "{page}");
    }
    let listed = server.admin().get("/api/v4/projects").list();
    assert!(listed.iter().all(|one| one.get("runners_token").is_none()));
    let latest = TestServer::start();
    for path in [&*latest.below_project(""), "/api/v4/groups/acme"] {
        let shown = latest.admin().get(path).expect(200);
        assert_eq!(shown.get("runners_token"), None, "{path}");
    }
    manages_all(&server);
}

/// Administrators manage all runners on one page.
fn manages_all(server: &TestServer) {
    const PAGE: &str = "/admin/runners";
    let mut admin = server.signed_in("admin");
    let text = admin.open(PAGE).expect_text(200);
    for part in [
        "3 runners",
        ">acme/web-shop<",
        ">acme<",
        "All projects",
        PAGES[0],
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let runners = server.admin().get("/api/v4/runners/all").list();
    let of_group = runners.iter().find(|one| one["description"] == PAGES[1]);
    let path = format!("{PAGE}/{}", of_group.unwrap()["id"]);
    assert_eq!(
        admin.submit(PAGE, &path, &[("action", "pause")]).status,
        303
    );
    let paused = admin.open("/admin/runners?filter=paused").expect_text(200);
    assert!(
        paused.contains("1 runner") && paused.contains(PAGES[1]),
        "{paused}"
    );
    assert!(!paused.contains(PAGES[0]), "{paused}");
    let deleted = admin.submit(PAGE, &path, &[("action", "delete")]);
    assert_eq!(deleted.header("location"), Some(PAGE));
    assert!(admin.open(PAGE).text().contains("2 runners"));
    assert_eq!(
        admin.submit(PAGE, &path, &[("action", "delete")]).status,
        404
    );
    let none = admin.open("/admin/runners?filter=online").expect_text(200);
    assert!(none.contains("No runner matches"), "{none}");
    let mut developer = server.signed_in("developer");
    assert_eq!(developer.open(PAGE).status, 403);
}
