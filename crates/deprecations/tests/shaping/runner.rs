//! What is answered of runners.

use api_conventions::time::Timestamp;
use deprecations::shaping::{Contact, ContactStatus, LegacyMode, NoLegacyMode, Shaper};
use serde_json::{Value, json};

use crate::contacts::{
    NOW, contact, not_connected, offline, online, stale, stale_and_not_connected, time,
};
use crate::editions::{latest_v4, v4, v5};

fn answer(shaper: Shaper<'_>, newest: Value, contact: &Contact) -> Value {
    shaper.runner(newest, contact, time(NOW))
}

#[test]
fn the_contact_status_changes_after_two_hours_and_after_three_months() {
    for (created_at, contacted_at, expected) in [
        (
            "2022-01-01T00:00:00Z",
            "2023-05-31T12:00:00Z",
            ContactStatus::Online,
        ),
        (
            "2022-01-01T00:00:00Z",
            "2023-05-31T12:00:01Z",
            ContactStatus::Online,
        ),
        (
            "2022-01-01T00:00:00Z",
            "2023-05-31T10:00:00.000001Z",
            ContactStatus::Online,
        ),
        (
            "2022-01-01T00:00:00Z",
            "2023-05-31T10:00:00Z",
            ContactStatus::Offline,
        ),
        (
            "2022-01-01T00:00:00Z",
            "2023-02-28T12:00:00.000001Z",
            ContactStatus::Offline,
        ),
        (
            "2022-01-01T00:00:00Z",
            "2023-02-28T12:00:00Z",
            ContactStatus::Stale,
        ),
        (
            "2023-02-28T12:00:00.000001Z",
            "2023-01-01T00:00:00Z",
            ContactStatus::Offline,
        ),
        (
            "2023-02-28T12:00:00.000001Z",
            "-",
            ContactStatus::NotConnected,
        ),
        ("2023-02-28T12:00:00Z", "-", ContactStatus::Stale),
    ] {
        let status = contact(created_at, contacted_at).status(time(NOW));
        assert_eq!(status, expected, "{created_at} {contacted_at}");
    }
    let first = Contact {
        created_at: Timestamp::MIN,
        contacted_at: Some(Timestamp::MIN),
    };
    assert_eq!(first.status(Timestamp::MIN), ContactStatus::Online);
    assert_eq!(first.status(Timestamp::MAX), ContactStatus::Stale);
}

#[test]
fn v4_answers_paused_as_a_status_and_v5_does_not() {
    for (contact, is_paused, in_v4, in_v5) in [
        (online(), false, "online", "online"),
        (online(), true, "paused", "online"),
        (offline(), false, "offline", "offline"),
        (offline(), true, "paused", "offline"),
        (not_connected(), false, "not_connected", "not_connected"),
        (not_connected(), true, "not_connected", "not_connected"),
        (stale(), false, "stale", "offline"),
        (stale(), true, "stale", "offline"),
        (stale_and_not_connected(), true, "stale", "not_connected"),
    ] {
        for shaper in [v4("14.0"), v4("15.9"), v4("16.0"), latest_v4()] {
            assert_eq!(shaper.runner_status(&contact, is_paused, time(NOW)), in_v4);
        }
        assert_eq!(v5().runner_status(&contact, is_paused, time(NOW)), in_v5);
    }
}

#[test]
fn runners_have_paused_from_14_8_on_and_active_until_v5() {
    for (shaper, expected) in [
        (
            v4("14.7"),
            json!({ "id": 1, "active": false, "status": "paused" }),
        ),
        (
            v4("14.8"),
            json!({ "id": 1, "active": false, "paused": true, "status": "paused" }),
        ),
        (
            latest_v4(),
            json!({ "id": 1, "active": false, "paused": true, "status": "paused" }),
        ),
        (v5(), json!({ "id": 1, "paused": true, "status": "online" })),
    ] {
        for newest in [
            json!({ "id": 1, "paused": true }),
            json!({ "id": 1, "paused": true, "active": true, "status": "stale" }),
            json!({ "id": 1, "active": false }),
        ] {
            assert_eq!(
                answer(shaper, newest, &online()),
                expected,
                "{}",
                shaper.edition()
            );
        }
    }
}

#[test]
fn null_for_paused_counts_as_false_and_what_is_no_boolean_stays() {
    let null = json!({ "paused": null });
    assert_eq!(
        answer(v4("15.9"), null.clone(), &online()),
        json!({ "active": true, "paused": null, "status": "online" })
    );
    assert_eq!(
        answer(v5(), null, &online()),
        json!({ "paused": null, "status": "online" })
    );
    let odd = json!({ "paused": "x", "active": "y", "tag_list": [] });
    let mut expected = json!({ "paused": "x", "active": "y", "tag_list": [], "status": "online" });
    assert_eq!(answer(v4("15.9"), odd.clone(), &online()), expected);
    expected.as_object_mut().unwrap().remove("active");
    assert_eq!(answer(v5(), odd, &online()), expected);
    let odd = json!({ "paused": 0, "active": false });
    let expected = json!({ "paused": 0, "active": false, "status": "paused" });
    assert_eq!(answer(v4("15.9"), odd.clone(), &online()), expected);
    let expected = json!({ "active": false, "status": "paused" });
    assert_eq!(answer(v4("14.7"), odd, &online()), expected);
    for other in [json!("text"), json!([{ "paused": true }])] {
        assert_eq!(answer(v5(), other.clone(), &online()), other);
    }
    assert_eq!(
        answer(v4("15.9"), json!({}), &online()),
        json!({ "status": "online" })
    );
}

#[test]
fn legacy_mode_chooses_then_does_nothing_then_is_refused() {
    let (omitted, null, given) = (LegacyMode::Omitted, LegacyMode::Null, LegacyMode::Given);
    for (shaper, mode, contact, expected) in [
        (v4("15.0"), omitted, online(), Ok("PAUSED")),
        (v4("15.11"), given("14.5"), online(), Ok("PAUSED")),
        (v4("15.11"), null, online(), Ok("ONLINE")),
        (v4("15.11"), given("15.0"), online(), Ok("ONLINE")),
        (v4("15.11"), null, stale(), Ok("STALE")),
        (v4("16.0"), omitted, online(), Ok("ONLINE")),
        (v4("16.0"), given("14.5"), online(), Ok("ONLINE")),
        (v4("16.0"), null, not_connected(), Ok("NOT_CONNECTED")),
        (v4("16.11"), given("14.5"), stale(), Ok("OFFLINE")),
        (v4("17.0"), omitted, online(), Ok("ONLINE")),
        (v4("17.0"), null, online(), Err(NoLegacyMode)),
        (v4("17.0"), given("14.5"), online(), Err(NoLegacyMode)),
        (
            v5(),
            omitted,
            stale_and_not_connected(),
            Ok("NOT_CONNECTED"),
        ),
    ] {
        let status = shaper.graphql_runner_status(&contact, true, mode, time(NOW));
        assert_eq!(
            status,
            expected.map(str::to_owned),
            "{} {mode:?}",
            shaper.edition()
        );
    }
}

#[test]
fn registration_tokens_work_until_17_0() {
    for (shaper, expected) in [
        (v4("14.0"), true),
        (v4("16.11"), true),
        (v4("17.0"), false),
        (v5(), false),
    ] {
        assert_eq!(shaper.has_registration_tokens(), expected);
        assert_eq!(shaper.has_resets_of_registration_tokens(), expected);
    }
}
