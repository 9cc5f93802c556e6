//! Totals of lists that are too long to count.

use serde_json::{Value, json};

use crate::support::{TestResponse, TestServer};

fn flood(server: &TestServer, from: usize, to: usize) {
    let alerts: Vec<Value> = (from..to)
        .map(|number| {
            json!({
                "labels": { "alertname": "Flood", "number": number.to_string() },
                "startsAt": "2024-05-01T10:00:00Z",
            })
        })
        .collect();
    let body = json!({
        "version": "4", "status": "firing", "receiver": "r", "groupKey": "g", "groupLabels": {},
        "commonLabels": {}, "commonAnnotations": {}, "externalURL": "", "alerts": alerts,
    });
    server.sender().post(&server.metrics(), &body).assert_ok();
}

fn has_totals(answer: &TestResponse) -> bool {
    let total = answer.header("x-total").is_some();
    let pages = answer.header("x-total-pages").is_some();
    let last = answer.link("last").is_some();
    assert!(total == pages && pages == last, "{answer:?}");
    total
}

/// PAGE-03. Ten thousand rows are counted, one more is not; all pages stay reachable.
#[test]
fn totals_are_omitted_beyond_ten_thousand_rows() {
    let server = TestServer::start();
    let dev = server.developer();
    let path = format!("{}?search=Flood&per_page=100", server.alerts());
    flood(&server, 0, 10_000);
    let counted = dev.get(&path);
    assert!(has_totals(&counted));
    assert_eq!(counted.header("x-total"), Some("10000"));
    assert_eq!(counted.header("x-total-pages"), Some("100"));
    flood(&server, 10_000, 10_001);
    let first = dev.get(&path);
    assert!(!has_totals(&first));
    assert_eq!(first.header("x-next-page"), Some("2"));
    assert!(first.link("first").is_some());
    let hundredth = dev.get(&format!("{path}&page=100"));
    assert!(!has_totals(&hundredth));
    assert_eq!(hundredth.header("x-next-page"), Some("101"));
    let end = dev.get(&hundredth.link("next").unwrap());
    assert_eq!((end.list().len(), end.link("next")), (1, None));
    assert_eq!(end.header("x-prev-page"), Some("100"));
    // The feed is equally long, and shorter lists of the same rows are counted.
    assert!(!has_totals(&dev.get(&server.below_project("/events"))));
    let narrow = dev.get(&format!("{}?severity=low", server.alerts()));
    assert_eq!(narrow.header("x-total"), Some("1"));
    // There are few receipts: one for each body.
    assert!(has_totals(
        &dev.get(&server.below_project("/alert_receipts"))
    ));
}
