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
