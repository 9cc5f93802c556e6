//! Headers that announce deprecations.

use serde_json::json;

use super::{admin_at, server_as};
use crate::support::TestServer;

const LEVEL: &str = "15-8-operations-access-level";

#[test]
fn deprecated_parameters_return_deprecation_headers_and_a_link() {
    let server = TestServer::start();
    let project = server.below_project("");
    let level = json!({"operations_access_level": "enabled", "monitor_access_level": "enabled"});
    let used = server.admin().put(&project, &level);
    used.assert_ok();
    assert_eq!(
        used.header("deprecation"),
        Some("@1674345600"),
        "15.8 came out on 22 January 2023"
    );
    assert_eq!(used.header("sunset"), None, "its removal has no day");
    assert_eq!(used.header("gatehouse-deprecated"), Some(LEVEL));
    let page = used.link("deprecation").unwrap();
    assert_eq!(
        page,
        format!("{}/-/deprecations/{LEVEL}", server.base_url())
    );
    let varied = used.headers_named("vary");
    assert!(
        varied.contains(&"Gatehouse-Release".to_owned()),
        "{varied:?}"
    );
    let other = server.admin().put(&project, &json!({"description": "x"}));
    assert_eq!(other.header("deprecation"), None);
}

/// Clients log every response with the header, so a deprecated field that may be unused does not set it.
#[test]
fn a_field_that_goes_is_only_named() {
    let server = TestServer::start();
    let shown = server.admin().get(&server.below_project(""));
    assert_eq!(shown.header("gatehouse-deprecated"), Some(LEVEL));
    assert!(shown.link("deprecation").is_some());
    assert_eq!(
        (shown.header("deprecation"), shown.header("sunset")),
        (None, None)
    );
    let before = admin_at(&server, "15.7").get(&server.below_project(""));
    let token = Some("15-6-runner-registration-tokens");
    assert_eq!(before.header("gatehouse-deprecated"), token);
    let preview = admin_at(&server, "v5").get(&server.below_project(""));
    assert_eq!(preview.header("gatehouse-deprecated"), None);
}

/// A list that is paged by key shows its end by the absence of the header.
#[test]
fn a_list_that_is_paged_by_its_key_has_no_further_links() {
    let server = TestServer::start();
    let path = "/api/v4/projects?pagination=keyset&order_by=id&id_after=1000000";
    let last = server.admin().get(path);
    assert_eq!((last.header("link"), last.text().as_str()), (None, "[]"));
    assert_eq!(last.header("gatehouse-deprecated"), Some(LEVEL));
}

#[test]
fn responses_without_deprecated_use_have_no_deprecation_headers() {
    let server = server_as("16.0");
    let shown = server.developer().get("/api/v4/user");
    for name in [
        "deprecation",
        "sunset",
        "gatehouse-deprecated",
        "gatehouse-release",
        "link",
    ] {
        assert_eq!(shown.header(name), None, "{name}");
    }
    assert_eq!(shown.headers_named("vary"), ["Origin"]);
}
