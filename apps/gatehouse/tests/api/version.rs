//! `/api/v4/version` and `/api/v4/metadata`.

use insta::assert_json_snapshot;

use crate::snapshot::{redacted, snapshot_of};
use crate::support::TestServer;

#[test]
fn the_version_is_shown_to_anyone_who_is_signed_in() {
    let server = TestServer::start();
    let answer = server.reporter().get("/api/v4/version");
    let _redacted = redacted();
    assert_json_snapshot!(snapshot_of(&server, &answer), @r#"
    {
      "body": {
        "enterprise": false,
        "kas": {
          "enabled": false,
          "externalUrl": null,
          "version": null
        },
        "revision": "0.1.0",
        "version": "18.0.0"
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
    let metadata = server.reporter().get("/api/v4/metadata");
    assert_eq!(metadata.expect(200), answer.expect(200));
}

/// Clients compare the version to find out which features they may use, so it is that of the selected release.
#[test]
fn the_version_is_the_release_that_is_answered() {
    let server = TestServer::start_configured("[api]\nrelease = \"15.10\"\n");
    let reporter = server.reporter();
    let version = |caller: &crate::support::TestCaller| {
        let shown = caller.get("/api/v4/version").expect(200);
        shown["version"].as_str().unwrap().to_owned()
    };
    assert_eq!(version(&reporter), "15.10.0");
    let newer = reporter.with("Gatehouse-Release", "16.0");
    assert_eq!(version(&newer), "16.0.0");
}
