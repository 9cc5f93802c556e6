//! `/api/v4/user`.

use insta::assert_json_snapshot;
use serde_json::Value;

use crate::snapshot::{is_timestamp, redacted, shown};
use crate::support::Server;

#[test]
fn a_person_reads_who_they_are() {
    let server = Server::start();
    let answer = server.developer().get("/api/v4/user");
    assert!(is_timestamp(&answer.expect(200)["created_at"]));
    let _redacted = redacted();
    assert_json_snapshot!(shown(&server, &answer), @r#"
    {
      "body": {
        "avatar_url": null,
        "bot": false,
        "can_create_group": true,
        "can_create_project": true,
        "commit_email": "dev@example.com",
        "created_at": "[time]",
        "email": "dev@example.com",
        "external": false,
        "id": 2,
        "identities": [],
        "name": "Dana Developer",
        "private_profile": false,
        "state": "active",
        "two_factor_enabled": false,
        "username": "dev",
        "web_url": "{base}/dev"
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
    let server = Server::start();
    let response = |caller: crate::support::Caller| {
        let user = caller.get("/api/v4/user").expect(200);
        user.get("is_admin").cloned()
    };
    assert_eq!(response(server.admin()), Some(Value::Bool(true)));
    assert_eq!(response(server.developer()), None);
    assert_eq!(response(server.reporter()), None);
}
