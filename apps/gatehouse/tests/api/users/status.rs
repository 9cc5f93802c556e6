//! `/api/v4/user/status` and `/api/v4/users/:id_or_username/status`.

use serde_json::json;

use crate::support::TestServer;

const OWN: &str = "/api/v4/user/status";

#[test]
fn a_status_is_set_updated_shown_and_cleared() {
    let server = TestServer::start();
    let (developer, others) = (server.developer(), server.anonymous());
    let none = json!({
        "emoji": null, "message": null, "availability": null, "message_html": "", "clear_status_at": null,
    });
    developer.get(OWN).assert_is(200, &none);
    let fields = json!({ "emoji": "coffee", "message": "I <3 tea", "availability": "busy" });
    let set = json!({
        "emoji": "coffee", "message": "I <3 tea", "availability": "busy", "message_html": "I &lt;3 tea",
        "clear_status_at": null,
    });
    developer.put(OWN, &fields).assert_is(200, &set);
    let id = server.demo["developer"]["id"].to_string();
    for path in [
        OWN.to_owned(),
        "/api/v4/users/DEV/status".to_owned(),
        format!("/api/v4/users/{id}/status"),
    ] {
        developer.get(&path).assert_is(200, &set);
    }
    let page = server.signed_in("reporter").open("/dev").expect_text(200);
    assert!(
        page.contains("I &#60;3 tea") || page.contains("I &lt;3 tea"),
        "{page}"
    );
    let json_sender = server.developer().with("Content-Type", "application/json");
    let changed = json_sender.send(
        "PATCH",
        OWN,
        br#"{"message":"later","clear_status_after":"8_hours"}"#,
    );
    let changed = changed.expect(200);
    assert_eq!(
        (
            &changed["emoji"],
            &changed["availability"],
            &changed["message"]
        ),
        (&json!("coffee"), &json!("busy"), &json!("later"))
    );
    assert!(changed["clear_status_at"].is_string(), "{changed}");
    for (fields, fault) in [
        (json!({ "emoji": "<b>" }), "emoji"),
        (json!({ "message": "x".repeat(101) }), "message"),
        (json!({ "availability": "away" }), "availability"),
        (
            json!({ "clear_status_after": "2_hours" }),
            "clear_status_after",
        ),
    ] {
        let refused = developer.put(OWN, &fields);
        assert_eq!(refused.status, 400, "{fields}");
        assert!(refused.text().contains(fault), "{}", refused.text());
    }
    assert_eq!(developer.get(OWN).expect(200)["message"], json!("later"));
    // What is not sent with PUT is cleared, and empty values alone delete the status.
    let emoji = json!({ "message": "lunch" });
    let replaced = developer.put(OWN, &emoji).expect(200);
    assert_eq!(replaced["emoji"], json!("speech_balloon"));
    assert_eq!(replaced["clear_status_at"], json!(null));
    // A private profile shows others no status.
    let mut own = server.signed_in("developer");
    own.submit(
        "/profile",
        "/profile/privacy",
        &[("user[private_profile]", "1")],
    );
    others.get("/api/v4/users/dev/status").assert_is(200, &none);
    assert_eq!(developer.get(OWN).expect(200)["message"], json!("lunch"));
    let nothing = json!({ "emoji": "", "message": "" });
    developer.put(OWN, &nothing).assert_is(200, &none);
    assert_eq!(others.get("/api/v4/users/nobody/status").status, 404);
    assert_eq!(others.put(OWN, &emoji).status, 401);
}
