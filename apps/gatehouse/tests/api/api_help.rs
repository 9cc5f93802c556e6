//! The description of the API: the document and the page.

use serde_json::{Value, json};

use crate::support::{Caller, Server};

/// The document that the server serves is the one that the command prints, with the address of the server.
#[test]
fn the_served_document_is_that_of_the_command() {
    let server = Server::start();
    let nobody = Caller::new(server.base_url(), None);
    let mut fetched = nobody.get("/api/v4/openapi.json").expect(200);
    assert_eq!(fetched["servers"][0]["url"], server.base_url());
    fetched["servers"] = json!([{ "url": "/" }]);
    let printed = server.command(&["openapi"]);
    let document: Value = serde_json::from_slice(&printed.stdout).unwrap();
    assert_eq!(fetched, document);
    let shown = &document["paths"]["/api/v4/projects/{id}"]["get"];
    assert_eq!(shown["operationId"], "showProject");
}

/// Anyone who has the document already is not sent it again.
#[test]
fn the_document_is_sent_once() {
    let server = Server::start();
    let nobody = Caller::new(server.base_url(), None);
    let first = nobody.get("/api/v4/openapi.json");
    let tag = first.header("etag").unwrap().to_owned();
    let again = nobody
        .with("If-None-Match", &tag)
        .get("/api/v4/openapi.json");
    assert_eq!(again.status, 304);
}

/// The page names every operation and every shape, and nothing on it comes from elsewhere.
#[test]
fn the_page_shows_every_operation() {
    let server = Server::start();
    let page = server.browser().open("/help/api");
    assert_eq!(page.status, 200);
    let document = Caller::new(server.base_url(), None)
        .get("/api/v4/openapi.json")
        .expect(200);
    let text = page.text();
    for (path, operations) in document["paths"].as_object().unwrap() {
        assert!(text.contains(path), "{path}");
        for operation in operations.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(text.contains(&format!("id=\"{id}\"")), "{id}");
        }
    }
    assert!(text.contains("id=\"shape-AlertJson\""), "{text}");
    assert!(!text.contains("<script"), "{text}");
}
