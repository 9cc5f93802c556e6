//! Large bodies in memory at the same time.

use serde_json::json;

use super::{item, webhook};
use crate::support::wire::Wire;
use crate::support::{TestServer, eventually};

const CONFIGURATION: &str =
    "[server]\nmax_bodies_bytes = 1048576\nmax_endpoint_bodies_bytes = 262144\n";

/// An address holds no more than its share: further bodies are refused before they are read, senders retry, and other
/// addresses and short bodies are not affected.
#[test]
fn an_address_that_holds_its_share_turns_large_bodies_away_for_a_while() {
    let server = TestServer::start_configured(CONFIGURATION);
    let large = json!({ "title": "Large", "filler": "x".repeat(200_000) });
    let body = large.to_string();
    let key = format!("Bearer {}", server.text("/alerts/key"));
    let length = body.len().to_string();
    let headers = [
        ("Authorization", key.as_str()),
        ("Content-Type", "application/json"),
        ("Content-Length", length.as_str()),
    ];
    let mut first = Wire::open(&server);
    first.send_head(&format!("POST {}", server.generic()), &headers);
    let (part, rest) = body.as_bytes().split_at(150_000);
    first.send(part);
    let refused = eventually("the address holds its share", || {
        let answer = server.sender().post(&server.generic(), &large);
        (answer.status != 200).then_some(answer)
    });
    assert_eq!(refused.status, 503);
    assert_eq!(refused.header("retry-after"), Some("1"));
    // The refusal does not wait for any byte of the body.
    let mut second = Wire::open(&server);
    second.send_head(&format!("POST {}", server.generic()), &headers);
    assert_eq!(second.read_response().status, 503);
    let short = json!({ "title": "Short" });
    server.sender().post(&server.generic(), &short).assert_ok();
    let mut large = item("Elsewhere");
    large["annotations"]["filler"] = json!("x".repeat(200_000));
    let large = webhook(&[large]);
    server.sender().post(&server.metrics(), &large).assert_ok();
    first.send(rest);
    assert_eq!(first.read_response().status, 200);
    eventually("the address takes large bodies again", || {
        let answer = server.sender().post(&server.generic(), &large);
        (answer.status == 200).then_some(())
    });
}
