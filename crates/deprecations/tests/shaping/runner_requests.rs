//! What is sent about runners: changes, and what limits a list.

use serde_json::{Value, json};

use crate::contacts::{NOW, not_connected, offline, online, stale, stale_and_not_connected, time};
use crate::editions::{fields, latest_v4, v4, v5};

#[test]
fn changes_are_taken_under_both_names_and_the_new_one_wins() {
    for (sent, at_14_7, at_14_8, in_v5) in [
        (json!({ "active": true }), Some(false), Some(false), None),
        (json!({ "active": "0" }), Some(true), Some(true), None),
        (json!({ "paused": true }), None, Some(true), Some(true)),
        (
            json!({ "active": true, "paused": true }),
            Some(false),
            Some(true),
            Some(true),
        ),
        (
            json!({ "active": false, "paused": false }),
            Some(true),
            Some(false),
            Some(false),
        ),
        (json!({ "active": "" }), None, None, None),
        (json!({}), None, None, None),
    ] {
        let shapers = [(v4("14.7"), at_14_7), (v4("14.8"), at_14_8), (v5(), in_v5)];
        for (shaper, expected) in shapers {
            let taken = shaper.runner_parameters(fields(sent.clone())).unwrap();
            let expected = expected.map_or(json!({}), |it| json!({ "paused": it }));
            assert_eq!(
                Value::Object(taken),
                expected,
                "{sent} {}",
                shaper.edition()
            );
        }
    }
}

#[test]
fn other_parameters_and_what_is_sent_as_paused_stay_for_the_handler() {
    let sent = fields(json!({ "paused": null, "active": "maybe", "locked": true }));
    let taken = v4("15.9").runner_parameters(sent).unwrap();
    assert_eq!(
        Value::Object(taken),
        json!({ "paused": null, "locked": true })
    );
}

#[test]
fn active_that_is_no_boolean_is_refused_where_it_decides() {
    for value in [json!(null), json!("maybe"), json!([true])] {
        let sent = fields(json!({ "active": value }));
        let refused = v4("15.9").runner_parameters(sent.clone()).unwrap_err();
        assert_eq!(refused.status(), 400);
        assert_eq!(refused.body(), &json!({ "error": "active is invalid" }));
        assert!(v5().runner_parameters(sent).unwrap().is_empty());
    }
}

#[test]
fn lists_are_limited_by_the_words_of_the_edition() {
    let runners = [
        (online(), false),
        (online(), true),
        (offline(), true),
        (not_connected(), false),
        (stale(), false),
        (stale_and_not_connected(), false),
    ];
    for (word, in_v4, in_v5) in [
        ("online", Some(vec![0, 1]), Some(vec![0, 1])),
        ("offline", Some(vec![2]), Some(vec![2, 4])),
        ("not_connected", Some(vec![3]), Some(vec![3, 5])),
        ("stale", Some(vec![4, 5]), None),
        ("active", Some(vec![0, 3, 4, 5]), None),
        ("paused", Some(vec![1, 2]), None),
        ("never_contacted", None, None),
        ("Online", None, None),
        ("", None, None),
    ] {
        for (shaper, expected) in [(v4("14.0"), &in_v4), (latest_v4(), &in_v4), (v5(), &in_v5)] {
            let kept = shaper.runner_filter(word).map(|filter| {
                let all = runners.iter().enumerate();
                let kept = all.filter(|(_, (contact, is_paused))| {
                    shaper.keeps_runner(filter, contact, *is_paused, time(NOW))
                });
                kept.map(|(index, _)| index).collect::<Vec<_>>()
            });
            if let Err(refused) = &kept {
                assert_eq!(refused.status(), 400);
                let text = "status does not have a valid value";
                assert_eq!(refused.body(), &json!({ "error": text }));
            }
            assert_eq!(&kept.ok(), expected, "{word} {}", shaper.edition());
        }
    }
}
