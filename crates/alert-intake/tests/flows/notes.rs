//! Receipt notes for reports that change nothing.

use alert_intake::model::{Delivery, IncomingAlert};

use crate::support::{HERE, Intake, ends, fires, generic, item, post};

/// Returns the notes in the receipt of the last of these POSTs.
fn notes(posts: &[Delivery]) -> Vec<String> {
    let intake = Intake::default();
    intake.receive(posts);
    let mut receipts = intake.rows(HERE).receipts;
    receipts.pop().unwrap().receipt.context.notes
}

#[track_caller]
fn check(before: Vec<IncomingAlert>, last: IncomingAlert, expected: &str) {
    let response = notes(&[post(100, before), post(101, vec![last])]);
    assert_eq!(response, [format!("1 ignored: {expected}")]);
}

#[test]
fn each_reason_is_reported_in_words() {
    let open = || vec![fires('a', 60)];
    let same = "the alert is already open with the same start time";
    check(open(), fires('a', 60), same);
    let older = "the alert is already open with a later start time";
    check(open(), fires('a', 50), older);
    let earlier = "the end time belongs to an earlier occurrence; the alert has fired again since";
    check(open(), ends('a', 50, 55), earlier);
    check(
        vec![generic('a', Some(60), None)],
        generic('a', Some(50), Some(55)),
        earlier,
    );
    let over = || vec![ends('a', 60, 70)];
    let resolved = "the alert with this start time is already resolved";
    check(over(), fires('a', 60), resolved);
    let ended = "the alert is already resolved";
    check(over(), ends('a', 60, 70), ended);
    check(over(), item('a', None, Some(101)), ended);
}

#[test]
fn notes_of_one_post_are_grouped_after_earlier_notes() {
    let mut last = post(
        101,
        vec![
            fires('a', 60),
            fires('b', 60),
            fires('a', 50),
            fires('c', 60),
        ],
    );
    last.context.notes.push("odd".to_owned());
    let response = notes(&[post(100, vec![fires('a', 60), fires('b', 60)]), last]);
    let expected = [
        "odd",
        "2 ignored: the alert is already open with the same start time",
        "1 ignored: the alert is already open with a later start time",
    ];
    assert_eq!(response, expected);
}

#[test]
fn created_and_resolved_alerts_produce_no_notes() {
    let response = notes(&[
        post(100, vec![fires('a', 60)]),
        post(101, vec![ends('a', 60, 70), fires('b', 1)]),
    ]);
    assert_eq!(response, [""; 0]);
}
