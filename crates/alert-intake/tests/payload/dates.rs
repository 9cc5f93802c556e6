//! Times as senders write them: which forms are parsed, which mean "never", and which are noted.

use alert_intake::model::Source;
use api_conventions::time::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{delivery, generic};

/// Returns the start parsed from a value, as text, with the notes.
fn start(value: &Value) -> (Option<String>, Vec<String>) {
    let body = json!({ "start_time": value }).to_string();
    let mut delivery = delivery(&body, Source::Generic);
    let started_at = delivery.alerts.remove(0).started_at;
    (
        started_at.map(|at| format!("{at:?}")),
        delivery.context.notes,
    )
}

/// ALRT-02.
#[test]
fn the_forms_of_a_timestamp_are_read_to_the_microsecond() {
    let cases = [
        ("2024-03-01T10:20:30Z", "2024-03-01T10:20:30.000000Z"),
        ("2024-03-01T10:20:30.1Z", "2024-03-01T10:20:30.100000Z"),
        ("2024-03-01T10:20:30.123456Z", "2024-03-01T10:20:30.123456Z"),
        (
            "2024-03-01T10:20:30.123456999Z",
            "2024-03-01T10:20:30.123456Z",
        ),
        ("2024-03-01T10:20:30+05:30", "2024-03-01T04:50:30.000000Z"),
        ("2024-02-29T23:59:59-11:00", "2024-03-01T10:59:59.000000Z"),
        ("2024-03-01t10:20:30z", "2024-03-01T10:20:30.000000Z"),
        ("2024-03-01 10:20:30Z", "2024-03-01T10:20:30.000000Z"),
        ("2024-03-01 10:20:30.5 +0100", "2024-03-01T09:20:30.500000Z"),
        ("2024-03-01 10:20:30 UTC", "2024-03-01T10:20:30.000000Z"),
        ("2024-03-01T10:20:30", "2024-03-01T10:20:30.000000Z"),
        ("2024-03-01 10:20:30.25", "2024-03-01T10:20:30.250000Z"),
        ("2024-03-01T10:20", "2024-03-01T10:20:00.000000Z"),
        ("2024-03-01 10:20", "2024-03-01T10:20:00.000000Z"),
        ("2024-03-01", "2024-03-01T00:00:00.000000Z"),
        (
            "Fri, 01 Mar 2024 10:20:30 +0200",
            "2024-03-01T08:20:30.000000Z",
        ),
        ("  2024-03-01T10:20:30Z\n", "2024-03-01T10:20:30.000000Z"),
        ("0002-01-01T00:00:00Z", "0002-01-01T00:00:00.000000Z"),
        ("9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000000Z"),
        ("20240301T102030,5Z", "2024-03-01T10:20:30.500000Z"),
        ("20240301T122030+0200", "2024-03-01T10:20:30.000000Z"),
        ("20240301", "2024-03-01T00:00:00.000000Z"),
        ("1709288430", "2024-03-01T10:20:30.000000Z"),
        ("1709288430.5", "2024-03-01T10:20:30.500000Z"),
        ("1709288430123", "2024-03-01T10:20:30.123000Z"),
        ("1709288430123456", "2024-03-01T10:20:30.123456Z"),
        ("1709288430123456789", "2024-03-01T10:20:30.123456Z"),
    ];
    for (text, expected) in cases {
        let read = start(&json!(text));
        assert_eq!(read, (Some(expected.to_owned()), vec![]), "{text}");
    }
}

#[test]
fn the_first_year_means_never_and_nobody_is_reported() {
    for text in [
        "0001-01-01T00:00:00Z",
        "0001-01-01",
        "0001-01-01T00:00:00.000+01:00",
    ] {
        assert_eq!(start(&json!(text)), (None, vec![]), "{text}");
        let alert = generic(&json!({"end_time": text}).to_string());
        assert_eq!(alert.resolved_at, None, "{text}");
    }
}

#[test]
fn a_number_is_a_time_since_1970() {
    for (number, expected) in [
        (json!(1_709_288_430), "2024-03-01T10:20:30.000000Z"),
        (json!(1_709_288_430.25), "2024-03-01T10:20:30.250000Z"),
        (json!(1_709_288_430_123_i64), "2024-03-01T10:20:30.123000Z"),
    ] {
        assert_eq!(
            start(&number),
            (Some(expected.to_owned()), vec![]),
            "{number}"
        );
    }
    assert_eq!(
        start(&json!(0)),
        (None, vec![]),
        "nothing is how senders write \"never\""
    );
}

#[test]
fn blank_dates_count_as_absent_without_a_note() {
    for absent in [
        json!(null),
        json!(""),
        json!("  "),
        json!(false),
        json!([]),
        json!({}),
    ] {
        assert_eq!(start(&absent), (None, vec![]), "{absent}");
    }
}

#[test]
fn unreadable_dates_count_as_absent_and_are_noted() {
    let note = "start_time is not a readable timestamp and was ignored";
    let texts = [
        "yesterday",
        "now",
        "12:00",
        "2024-13-01T00:00:00Z",
        "2024-02-30",
        "2023-02-29T00:00:00Z",
        "2024-03-01T24:00:01Z",
        "2024-03-01T10:61:00Z",
        "2024-03-01T10:20:30+99:99",
        "10000-01-01T00:00:00Z",
        "0000-12-31T00:00:00Z",
        "-2024-03-01T00:00:00Z",
        "99999999",
        "9999-12-31T23:59:59-01:00",
        "292277026596-12-04T15:30:08Z",
        "2024-03-01T10:20:30Z extra",
        "2024-03-01T10:20:30.Z",
        "٢٠٢٤-٠٣-٠١T10:20:30Z",
    ];
    for text in texts {
        assert_eq!(start(&json!(text)), (None, vec![note.to_owned()]), "{text}");
    }
    for number in [json!(5), json!(1.5e300), json!(-1), json!(true)] {
        assert_eq!(start(&number), (None, vec![note.to_owned()]), "{number}");
    }
}

#[test]
fn an_end_that_cannot_be_read_does_not_resolve() {
    let body = json!({"end_time": "whenever"}).to_string();
    let delivery = delivery(&body, Source::Generic);
    assert_eq!(delivery.alerts[0].resolved_at, None);
    let note = "end_time is not a readable timestamp and was ignored";
    assert_eq!(delivery.context.notes, [note]);
}

proptest! {
    #[test]
    fn a_timestamp_in_any_offset_is_the_same_time(
        seconds in -60_000_000_000_i64..250_000_000_000, micros in 0_u32..1_000_000, offset in -1439_i32..=1439,
    ) {
        let utc = chrono::DateTime::from_timestamp(seconds, micros * 1000).unwrap();
        let there = utc.with_timezone(&chrono::FixedOffset::east_opt(offset * 60).unwrap());
        let expected = Some(utc.timestamp_micros());
        for text in [there.to_rfc3339(), there.format("%Y-%m-%d %H:%M:%S%.f %z").to_string()] {
            let alert = generic(&json!({"start_time": text}).to_string());
            prop_assert_eq!(alert.started_at.map(Timestamp::as_micros), expected, "{}", text);
        }
    }
}
