//! The pages of receipts: a list by key, and a single receipt.

use serde_json::json;

use super::{below, member_browser, submit, text};
use crate::support::TestServer;

const LIST: &str = "/-/alert_receipts";
const TEST: &str = "/-/settings/alert_endpoints/legacy/test";

/// Target of the link with a relation; `None` if the page has none.
fn link(page: &str, relation: &str) -> Option<String> {
    let (_, rest) = page.split_once(&format!("rel=\"{relation}\" href=\""))?;
    let (address, _) = rest.split_once('"')?;
    Some(address.replace("&#38;", "&"))
}

#[test]
fn a_refused_delivery_is_shown_with_its_reason_as_text() {
    let server = TestServer::start();
    let body = "{\"<b>\u{202e}";
    let answer = server
        .sender()
        .post_bytes(&server.generic(), body.as_bytes());
    assert_eq!(answer.status, 400);
    let mut developer = server.signed_in("developer");
    let list = text(&mut developer, &below(LIST));
    assert!(list.contains("Refused") && list.contains("400: "), "{list}");
    let path = server.below_project("/alert_receipts?per_page=1");
    let latest = server.developer().get(&path).list()[0].clone();
    let one = below(&format!("{LIST}/{}", latest["id"]));
    assert!(list.contains(&format!("href=\"{one}\"")), "{list}");
    let page = text(&mut developer, &one);
    for part in [
        "not valid JSON",
        "status 400",
        "<bdi>{&#34;&#60;b&#62;\u{fffd}</bdi>",
        "The server itself",
        "8 bytes",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(!page.contains("<b>"), "{page}");
    // Only Developers may see receipts.
    let mut guest = member_browser(&server, "gus", 10);
    for path in [below(LIST), one] {
        assert_eq!(guest.open(&path).status, 404);
    }
}

#[test]
fn a_test_that_is_refused_leaves_a_receipt_as_a_delivery_does() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let endpoint = "/-/settings/alert_endpoints/legacy";
    let answer = submit(&mut developer, endpoint, TEST, &[("body", "[]")]);
    assert_eq!(answer.status, 422);
    let list = text(&mut developer, &below(LIST));
    assert!(list.contains("the body is not a JSON object"), "{list}");
}

#[test]
fn receipts_are_walked_by_their_key_while_new_ones_come() {
    let server = TestServer::start();
    for number in 0..41 {
        server.raise(&json!({ "title": format!("Alert {number}") }));
    }
    let path = server.below_project("/alert_receipts?per_page=100");
    let all: Vec<String> = server
        .developer()
        .get(&path)
        .list()
        .iter()
        .map(|receipt| below(&format!("{LIST}/{}", receipt["id"])))
        .collect();
    let mut developer = server.signed_in("developer");
    let mut page = text(&mut developer, &below(LIST));
    let mut found = Vec::new();
    let mut steps = 0;
    loop {
        let shown: Vec<&String> = all
            .iter()
            .filter(|path| page.contains(&format!("href=\"{path}\"")))
            .collect();
        found.extend(shown.into_iter().cloned());
        // New receipts do not shift the pages.
        server.raise(&json!({ "title": "Meanwhile" }));
        let Some(next) = link(&page, "next") else {
            break;
        };
        steps += 1;
        assert!(steps < 10, "the walk ends");
        page = text(&mut developer, &next);
    }
    assert_eq!((found, steps), (all.clone(), 2));
    // The link back leads to the new receipts.
    let back = link(&page, "prev").unwrap();
    page = text(&mut developer, &back);
    assert!(page.contains(&format!("href=\"{}\"", all[20])), "{page}");
    assert!(link(&page, "next").is_some());
    for wrong in ["?before=x", "?after=0"] {
        let answer = developer.open(&below(&format!("{LIST}{wrong}")));
        assert_eq!(answer.status, 400, "{wrong}");
    }
    let beyond = text(&mut developer, &below(&format!("{LIST}?before=1")));
    assert!(beyond.contains("No more receipts"), "{beyond}");
}
