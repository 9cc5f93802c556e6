//! `/api/v4/user`.

use insta::assert_json_snapshot;
use serde_json::Value;

use crate::snapshot::{is_timestamp, redacted, snapshot_of};
use crate::support::TestServer;

#[test]
fn a_person_reads_who_they_are() {
    let server = TestServer::start();
    let answer = server.developer().get("/api/v4/user");
    assert!(is_timestamp(&answer.expect(200)["created_at"]));
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "avatar_url": "{base}/assets/avatars/8-DD.svg",
        "bio": "",
        "bot": false,
        "can_create_group": true,
        "can_create_project": true,
        "color_scheme_id": 1,
        "commit_email": "dev@example.com",
        "confirmed_at": "[time]",
        "created_at": "[time]",
        "current_sign_in_at": null,
        "discord": "",
        "email": "dev@example.com",
        "external": false,
        "followers": 0,
        "following": 0,
        "id": 2,
        "identities": [],
        "is_followed": false,
        "job_title": "",
        "last_activity_on": "[day]",
        "last_sign_in_at": null,
        "linkedin": "",
        "local_time": null,
        "location": null,
        "name": "Dana Developer",
        "organization": null,
        "private_profile": false,
        "projects_limit": 100000,
        "pronouns": null,
        "public_email": null,
        "skype": "",
        "state": "active",
        "theme_id": 1,
        "twitter": "",
        "two_factor_enabled": false,
        "username": "dev",
        "web_url": "{base}/dev",
        "website_url": "",
        "work_information": null
      },
      "headers": {
        "cache-control": "max-age=0, private, must-revalidate",
        "content-type": "application/json",
        "etag": "[etag]",
        "vary": "Origin",
        "x-content-type-options": "nosniff",
        "x-frame-options": "SAMEORIGIN",
        "x-request-id": "[x-request-id]",
        "x-runtime": "[x-runtime]"
      },
      "status": 200
    }
    "#);
}

#[test]
fn only_an_administrator_is_reported_of_being_one() {
    let server = TestServer::start();
    let response = |caller: crate::support::TestCaller| {
        let user = caller.get("/api/v4/user").expect(200);
        user.get("is_admin").cloned()
    };
    assert_eq!(response(server.admin()), Some(Value::Bool(true)));
    assert_eq!(response(server.developer()), None);
    assert_eq!(response(server.reporter()), None);
}
