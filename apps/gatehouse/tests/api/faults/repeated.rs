//! Failures that repeat.

use std::fs::OpenOptions;

use serde_json::json;

use crate::support::{Server, eventually};

/// A journal that was cut short makes every batch of writes fail for the same reason. The log tells the first at once and the
/// others in one line for each cause, however many there are.
#[test]
fn failures_of_one_cause_are_summed_up_in_the_log() {
    const FAILURES: usize = 50;
    let server = Server::start_logged("");
    let alert = json!({ "title": "Lost" });
    let send = || server.sender().post(&server.generic(), &alert).status;
    assert_eq!(send(), 200);
    let journal = server.data().join("gatehouse.sqlite3-wal");
    let journal = OpenOptions::new().write(true).open(journal).unwrap();
    journal.set_len(0).unwrap();
    for _ in 0..FAILURES {
        assert_eq!(send(), 503);
    }
    let told = |what: &str| {
        let log = server.log();
        log.lines().filter(|line| line.contains(what)).count()
    };
    // Senders go on, as long as it takes until the others are summed up.
    eventually("the others are summed up", || {
        assert_eq!(send(), 503);
        (told("batches of writes were not committed") > 0).then_some(())
    });
    let first = told("a batch of writes was not committed");
    assert!((1..=3).contains(&first), "{first} lines for one cause");
    assert!(told("were not committed") < 10);
}
