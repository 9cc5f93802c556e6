//! The description of the API: the document and the page.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::{TestCaller, TestServer};

/// The server serves the same document that the command prints, with the address of the server.
#[test]
fn the_served_document_is_that_of_the_command() {
    let server = TestServer::start();
    let anonymous = TestCaller::new(server.base_url(), None);
    let mut fetched = anonymous.get("/api/v4/openapi.json").expect(200);
    assert_eq!(fetched["servers"][0]["url"], server.base_url());
    fetched["servers"] = json!([{ "url": "/" }]);
    let printed = server.command(&["openapi"]);
    let document: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(fetched, document);
    let shown = &document["paths"]["/api/v4/projects/{id}"]["get"];
    assert_eq!(shown["operationId"], "showProject");
}

/// A client that already has the document does not receive it again.
#[test]
fn the_document_is_sent_once() {
    let server = TestServer::start();
    let anonymous = TestCaller::new(server.base_url(), None);
    let first = anonymous.get("/api/v4/openapi.json");
    let tag = first.header("etag").unwrap().to_owned();
    let again = anonymous
        .with("If-None-Match", &tag)
        .get("/api/v4/openapi.json");
    assert_eq!(again.status, 304);
}

/// Maximum size of a page, for the slowest network (pages are also compressed).
const MAX_BYTES: usize = 150_000;

/// The pages of the areas name every operation and load nothing from other hosts.
#[test]
fn the_pages_of_the_areas_show_every_operation() {
    let server = TestServer::start();
    let document = TestCaller::new(server.base_url(), None)
        .get("/api/v4/openapi.json")
        .expect(200);
    let mut browser = server.browser();
    let list = browser.open("/help/api").expect_text(200);
    let mut areas = BTreeMap::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for operation in operations.as_object().unwrap().values() {
            let area = operation["tags"][0].as_str().unwrap().replace(' ', "-");
            let href = format!("/help/api/{area}");
            assert!(list.contains(&format!("href=\"{href}\"")), "{href}");
            let page = areas
                .entry(href)
                .or_insert_with_key(|href| browser.open(href).expect_text(200));
            let id = operation["operationId"].as_str().unwrap();
            assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
            assert!(page.contains(path), "{path}");
        }
    }
    assert!(areas["/help/api/alerts"].contains("id=\"shape-AlertJson\""));
    for (href, page) in areas.iter().chain([(&"/help/api".to_owned(), &list)]) {
        assert!(!page.contains("<script"), "{href}");
        assert!(page.len() < MAX_BYTES, "{href}: {} bytes", page.len());
    }
    assert_eq!(browser.open("/help/api/nothing").status, 404);
}

#[test]
fn an_operation_is_found_by_words_of_its_path_and_summary() {
    let server = TestServer::start();
    let mut browser = server.browser();
    let found = browser
        .open("/help/api?search=Delete+label")
        .expect_text(200);
    assert!(
        found.contains("href=\"/help/api/labels#deleteLabel\""),
        "{found}"
    );
    assert!(!found.contains("#listAlerts\""), "{found}");
    assert!(found.contains("value=\"Delete label\""), "{found}");
    let none = browser.open("/help/api?search=%3Cb%3E").expect_text(200);
    assert!(
        none.contains("No operation matches all of these words"),
        "{none}"
    );
    assert!(!none.contains("<b>"), "{none}");
}
