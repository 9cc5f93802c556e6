//! Parameters, in every place and form of a request.

use serde_json::json;

use crate::support::pages::column;
use crate::support::{TestResponse, TestServer};

fn titles(server: &TestServer, query: &str) -> String {
    let path = format!("{}?sort=asc&{query}", server.alerts());
    column(&server.developer(), &path, "title").join("|")
}

/// API-04.
#[test]
fn a_plus_is_a_space_and_an_escaped_plus_is_a_plus() {
    let server = TestServer::start();
    server.raise(&json!({ "title": "a b" }));
    server.raise(&json!({ "title": "a+b" }));
    assert_eq!(titles(&server, "search=a+b"), "a b");
    assert_eq!(titles(&server, "search=a%20b"), "a b");
    assert_eq!(titles(&server, "search=a%2Bb"), "a+b");
    assert_eq!(titles(&server, "search=a%2bb"), "a+b");
}

/// API-03, API-05.
#[test]
fn names_may_be_escaped_and_lists_come_in_three_forms() {
    let server = TestServer::start();
    let open = "Checkout answers slowly|Nightly backup late";
    for query in [
        "severity[]=high&severity[]=low",
        "severity%5B%5D=high&severity%5b%5d=low",
        "severity[0]=high&severity[1]=low",
        "severity=high,low",
        "severity=low,%20high",
    ] {
        assert_eq!(titles(&server, query), open, "{query}");
    }
}

/// API-05. A name is a text, a list or a hash, but not two of them.
#[test]
fn a_name_that_is_used_in_two_ways_is_invalid() {
    let server = TestServer::start();
    let error = |query: &str| -> TestResponse {
        let path = format!("{}?{query}", server.alerts());
        server.developer().get(&path)
    };
    for query in [
        "severity=low&severity[]=low",
        "severity[a]=low&severity[]=low",
    ] {
        error(query).assert_is(400, &json!({ "error": "severity is invalid" }));
    }
    error("status[x]=1").assert_is(400, &json!({ "error": "status is invalid" }));
    error("search[]=a").assert_is(400, &json!({ "error": "search is invalid" }));
}

#[test]
fn text_that_is_not_utf8_or_holds_a_nul_is_refused() {
    let server = TestServer::start();
    for query in [
        "search=%FF",
        "search=%00",
        "%FF=a",
        "search=%C3%28",
        "search=a%ED%A0%80",
    ] {
        let path = format!("{}?{query}", server.alerts());
        let answer = server.developer().get(&path);
        let text = answer.expect(400)["message"].as_str().unwrap().to_owned();
        assert!(text.starts_with("400 Bad request - "), "{query}: {text}");
    }
}

#[test]
fn nesting_without_end_is_refused() {
    let server = TestServer::start();
    let deep = format!("{}?x{}=1", server.alerts(), "[a]".repeat(40));
    assert_eq!(server.developer().get(&deep).status, 400);
}

/// API-02. Clients send an empty JSON body with a GET; it is ignored.
#[test]
fn unknown_parameters_and_the_body_of_a_get_are_ignored() {
    let server = TestServer::start();
    let path = format!("{}?severity=low&unheard_of=1&other[x]=2", server.alerts());
    let json = server.developer().with("Content-Type", "application/json");
    for body in [&b""[..], b"{}"] {
        let answer = json.send("GET", &path, body);
        assert_eq!(answer.list().len(), 1);
    }
}

/// API-18. A missing value means the default, and so does an empty one; an invalid one is refused.
#[test]
fn booleans_have_many_spellings() {
    let server = TestServer::start();
    let simple = |value: &str| {
        let path = format!("/api/v4/projects?simple={value}");
        server.developer().get(&path)
    };
    for value in ["true", "1", "t", "T", "TRUE", "on", "yes", "y"] {
        assert!(simple(value).list()[0].get("_links").is_none(), "{value}");
    }
    for value in ["false", "0", "f", "off", "no", "n", ""] {
        assert!(simple(value).list()[0].get("_links").is_some(), "{value}");
    }
    for value in ["2", "maybe", "null", "truee"] {
        let wrong = json!({ "error": "simple is invalid" });
        simple(value).assert_is(400, &wrong);
    }
}

#[test]
fn numbers_are_whole_and_of_base_ten() {
    let server = TestServer::start();
    for value in ["1.5", "0x1f", "1e3", "one", "99999999999999999999"] {
        let path = format!("/api/v4/projects?id_after={value}");
        let wrong = json!({ "error": "id_after is invalid" });
        server.developer().get(&path).assert_is(400, &wrong);
    }
    let path = "/api/v4/projects?id_after=%200%20";
    assert_eq!(server.developer().get(path).list().len(), 1);
}

/// API-03. SQL in a value is only a value.
#[test]
fn hostile_text_is_text() {
    let server = TestServer::start();
    for text in [
        "%27%20OR%201%3D1--",
        "%5C",
        "%25%25",
        "%22%3B%20DROP%20TABLE%20alerts",
    ] {
        assert_eq!(titles(&server, &format!("search={text}")), "", "{text}");
    }
    assert_eq!(server.developer().get(&server.alerts()).list().len(), 3);
}
