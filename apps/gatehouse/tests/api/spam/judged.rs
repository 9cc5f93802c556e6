//! Texts that the operator's rules check, and texts that they do not.

use serde_json::json;

use super::{ADVICE, SpamFixture};
use crate::support::TestServer;
use crate::support::polling::eventually;
use crate::support::rows;

const LINK: &str = "see https://spam.example";

#[test]
fn spam_is_rejected_and_logged_for_administrators() {
    let fixture = SpamFixture::without_links();
    let refusal = json!({ "message": { "error": ADVICE } });
    for _ in 0..2 {
        fixture
            .create(&fixture.stranger, LINK)
            .assert_is(400, &refusal);
    }
    let body = json!({ "title": "a", "description": LINK });
    fixture
        .stranger
        .post(&fixture.issues, &body)
        .assert_is(400, &refusal);
    assert_eq!(fixture.titles(), [""; 0]);
    fixture.create(&fixture.stranger, "a").expect(201);
    // Administrators see the held text: the same one twice.
    let mut admin = fixture.server.signed_in("admin");
    let page = admin.open("/admin/spam_logs").expect_text(200);
    for word in [
        LINK,
        "@zoe",
        "open/tools",
        "too many links",
        ">2<",
        "not solved",
    ] {
        assert!(page.contains(word), "{word}: {page}");
    }
    assert_eq!(page.matches("too many links").count(), 2);
    let other = fixture
        .server
        .signed_in("developer")
        .open("/admin/spam_logs");
    assert_eq!(other.status, 403);
}

#[test]
fn patterns_of_a_file_match_in_either_case() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("patterns");
    std::fs::write(&file, "# Offers.\ncheap\\s+pills\n").unwrap();
    let fixture = SpamFixture::configured(&format!("patterns_file = {:?}", file.to_str().unwrap()));
    for (title, status) in [("Cheap  PILLS", 400), ("cheappills", 201)] {
        assert_eq!(
            fixture.create(&fixture.stranger, title).status,
            status,
            "{title}"
        );
    }
}

#[test]
fn only_public_text_of_untrusted_users_is_spam_checked() {
    let fixture = SpamFixture::without_links();
    let server = &fixture.server;
    // Members with a sufficient role, and administrators.
    for trusted in [server.developer(), server.admin()] {
        fixture.create(&trusted, LINK).expect(201);
    }
    // The role of Guest is not sufficient.
    let guest = server.stranger("guy");
    let id = guest.get("/api/v4/user").expect(200)["id"].clone();
    let members = fixture.issues.replace("/issues", "/members");
    let role = |level: u8| json!({ "user_id": id, "access_level": level });
    server.developer().post(&members, &role(10)).expect(201);
    assert_eq!(fixture.create(&guest, LINK).status, 400);
    let member = format!("{members}/{id}");
    server.developer().put(&member, &role(20)).expect(200);
    fixture.create(&guest, LINK).expect(201);
    // Texts that only some users can read.
    let hidden = json!({ "title": LINK, "confidential": true });
    fixture.stranger.post(&fixture.issues, &hidden).expect(201);
    let inside = server.below_project("/issues");
    server
        .reporter()
        .post(&inside, &json!({ "title": LINK }))
        .expect(201);
}

#[test]
fn updates_are_spam_checked_only_where_the_text_changes() {
    let fixture = SpamFixture::without_links();
    let iid = fixture.create(&fixture.stranger, "a").expect(201)["iid"].clone();
    let issue = format!("{}/{iid}", fixture.issues);
    for (body, status) in [
        (json!({ "title": LINK }), 400),
        (json!({ "description": LINK }), 400),
        // There is no workaround: making an issue confidential later is refused.
        (json!({ "title": LINK, "confidential": true }), 400),
        (json!({ "description": "b" }), 200),
        (json!({ "state_event": "close" }), 200),
    ] {
        assert_eq!(fixture.stranger.put(&issue, &body).status, status, "{body}");
    }
    let shown = fixture.stranger.get(&issue).expect(200);
    assert_eq!(
        (&shown["title"], &shown["description"]),
        (&json!("a"), &json!("b"))
    );
    // A member's text stays, and the author may still close the issue.
    let body = json!({ "title": LINK });
    fixture.server.developer().put(&issue, &body).expect(200);
    for event in ["reopen", "close"] {
        let body = json!({ "state_event": event, "title": LINK });
        fixture.stranger.put(&issue, &body).expect(200);
    }
    // A request that its caller may not make is not checked.
    let other = fixture.server.stranger("yan");
    assert_eq!(other.put(&issue, &body).status, 403);
    let none = format!("{}/99", fixture.issues);
    assert_eq!(fixture.stranger.put(&none, &body).status, 404);
    let page = fixture.server.signed_in("admin").open("/admin/spam_logs");
    assert!(!page.text().contains("@yan"), "{}", page.text());
}

#[test]
fn no_text_is_spam_checked_without_a_rule() {
    let fixture = SpamFixture::configured("captcha_site_key = \"site\"\ncaptcha_secret = \"hush\"");
    fixture.create(&fixture.stranger, LINK).expect(201);
    assert_eq!(fixture.titles(), [LINK]);
}

#[test]
fn only_the_last_hundred_of_a_user_are_kept_and_the_old_ones_go() {
    let fixture = SpamFixture::without_links();
    for number in 0..103 {
        let title = format!("{LINK}/{number}");
        assert_eq!(fixture.create(&fixture.stranger, &title).status, 400);
    }
    let count = |server: &TestServer| rows::number(server, "SELECT count(*) FROM spam_logs");
    assert_eq!(count(&fixture.server), 100);
    let first = format!("SELECT count(*) FROM spam_logs WHERE title = '{LINK}/2'");
    assert_eq!(rows::number(&fixture.server, &first), 0);
    // Ninety days later, at the cleanup when a server starts.
    let mut server = fixture.server;
    let day = 86_400_000_000_i64;
    let older =
        format!("UPDATE spam_logs SET last_at = last_at - 91 * {day} WHERE title <> '{LINK}/102'");
    rows::change(&server, &older);
    server.kill_and_restart();
    eventually("the old ones are gone", || {
        (count(&server) == 1).then_some(())
    });
}
