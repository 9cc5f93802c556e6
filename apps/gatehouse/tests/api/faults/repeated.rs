//! Failures that repeat.

use serde_json::json;

use crate::support::{Server, eventually};

/// While the storage is away every batch of writes fails for the same reason. The log tells the first at once and the others in one
/// line, however many there are.
#[test]
fn failures_of_one_cause_are_summed_up_in_the_log() {
    const FAILURES: usize = 300;
    let server = Server::start_logged("");
    let (file, aside) = (
        server.data().join("gatehouse.sqlite3"),
        server.data().join("aside"),
    );
    std::fs::rename(&file, &aside).unwrap();
    let alert = json!({ "title": "Lost" });
    for _ in 0..FAILURES {
        let refused = server.sender().post(&server.generic(), &alert);
        assert_eq!(refused.status, 503);
    }
    let told = |what: &str| {
        let log = server.log();
        log.lines().filter(|line| line.contains(what)).count()
    };
    eventually("the others are summed up", || {
        (told("batches of writes were not committed") > 0).then_some(())
    });
    let first = told("a batch of writes was not committed");
    assert!((1..=3).contains(&first), "{first} lines for one cause");
    assert!(told("were not committed") < 20);
    std::fs::rename(&aside, &file).unwrap();
}
