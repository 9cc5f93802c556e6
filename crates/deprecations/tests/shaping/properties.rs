//! What holds for any answer at any edition.

use api_conventions::release::Release;
use api_conventions::time::Timestamp;
use deprecations::shaping::{Contact, Shaper};
use deprecations::{Edition, calendar, published};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::editions::{fields, v5};

/// The names that are in the answers which are shaped here: those that go, and those that stay.
const NAMES: [&str; 24] = [
    "active",
    "approval_groups",
    "approvers",
    "confidential",
    "detailed_merge_status",
    "direct_asset_path",
    "external",
    "filepath",
    "id",
    "iid",
    "internal",
    "job_age",
    "merge_status",
    "merge_user",
    "merged_by",
    "name",
    "paused",
    "pipeline",
    "pipelines",
    "projectFingerprint",
    "status",
    "title",
    "uuid",
    "workItemIid",
];

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-z_]{0,12}".prop_map(Value::from),
        Just(json!("not_approved")),
        Just(json!([{ "id": 1 }])),
        Just(json!({ "id": 1 })),
    ]
}

fn any_fields() -> impl Strategy<Value = Map<String, Value>> {
    let fields =
        prop::collection::btree_map(prop::sample::select(NAMES.to_vec()), any_value(), 0..12);
    fields.prop_map(|fields| {
        let named = fields
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        named.collect()
    })
}

fn any_edition() -> impl Strategy<Value = Edition> {
    let releases: Vec<Release> = calendar::between(Release(13, 0), Release(18, 0)).collect();
    (prop::sample::select(releases), any::<bool>()).prop_map(|(release, is_preview)| {
        if is_preview {
            Edition::preview(release)
        } else {
            Edition::of(release)
        }
    })
}

prop_compose! {
    fn any_contact()(created in 0..200_i64, contacted in prop::option::of(0..5000_i64)) -> Contact {
        Contact {
            created_at: now().plus_seconds(-created * 86_400),
            contacted_at: contacted.map(|hours| now().plus_seconds(-hours * 3600)),
        }
    }
}

fn now() -> Timestamp {
    Timestamp::parse_rfc3339("2023-05-31T12:00:00Z").unwrap()
}

/// A way to shape an answer.
type Shape = fn(Shaper<'_>, Value, &Contact) -> Value;

/// All ways to shape an answer, each with the names that v5 does not have in it.
const SHAPES: [(Shape, &[&str]); 11] = [
    (
        |shaper, newest, contact| shaper.runner(newest, contact, now()),
        &["active"],
    ),
    (
        |shaper, newest, _| shaper.merge_request(newest),
        &["merged_by", "merge_status"],
    ),
    (
        |shaper, newest, _| shaper.asset_link(newest),
        &["external", "filepath"],
    ),
    (
        |shaper, newest, _| only_link(&shaper.release(json!({ "assets": { "links": [newest] } }))),
        &["external", "filepath"],
    ),
    (
        |shaper, newest, _| shaper.package_list(newest),
        &["pipelines"],
    ),
    (
        |shaper, newest, contact| shaper.job(newest, contact.created_at, now()),
        &["job_age"],
    ),
    (
        |shaper, newest, _| shaper.approval_configuration(newest),
        &["approvers", "approval_groups"],
    ),
    (
        |shaper, newest, _| shaper.graphql_asset_link(newest),
        &["external"],
    ),
    (
        |shaper, newest, _| shaper.graphql_note(newest),
        &["confidential"],
    ),
    (
        |shaper, newest, _| shaper.graphql_finding(newest),
        &["name", "projectFingerprint"],
    ),
    (
        |shaper, newest, _| shaper.graphql_requirement(newest),
        &["iid"],
    ),
];

/// The only link of a release.
fn only_link(release: &Value) -> Value {
    release.pointer("/assets/links/0").cloned().unwrap()
}

proptest! {
    #[test]
    fn active_is_always_the_negation_of_paused(
        newest in any_fields(), is_paused: bool, at in any_edition(), contact in any_contact(),
    ) {
        let mut newest = newest;
        newest.insert("paused".to_owned(), is_paused.into());
        let shaper = Shaper::new(published(), at);
        let answer = fields(shaper.runner(newest.into(), &contact, now()));
        let found = |name: &str| answer.get(name).and_then(Value::as_bool);
        prop_assert_eq!(found("active"), (at.api == 4).then_some(!is_paused));
        let has_paused = at.release >= Release(14, 8);
        prop_assert_eq!(found("paused"), has_paused.then_some(is_paused));
    }

    #[test]
    fn what_is_sent_as_active_is_the_negation_of_paused(is_active: bool, at in any_edition()) {
        let shaper = Shaper::new(published(), at);
        let taken = shaper.runner_parameters(fields(json!({ "active": is_active }))).unwrap();
        let expected = if at.api == 4 { json!({ "paused": !is_active }) } else { json!({}) };
        prop_assert_eq!(Value::Object(taken.clone()), expected);
        if at.release >= Release(14, 8) {
            prop_assert_eq!(shaper.runner_parameters(taken.clone()).unwrap(), taken);
        }
    }

    #[test]
    fn to_shape_twice_is_to_shape_once(
        newest in any_fields(), at in any_edition(), contact in any_contact(),
    ) {
        let shaper = Shaper::new(published(), at);
        for (shape, _) in SHAPES {
            let once = shape(shaper, newest.clone().into(), &contact);
            prop_assert_eq!(shape(shaper, once.clone(), &contact), once);
        }
    }

    #[test]
    fn no_answer_of_v5_has_a_name_that_is_gone(newest in any_fields(), contact in any_contact()) {
        for (shape, gone) in SHAPES {
            let answer = shape(v5(), newest.clone().into(), &contact);
            for name in gone {
                prop_assert!(answer.get(name).is_none(), "{name}");
            }
        }
        let answer = v5().runner(newest.into(), &contact, now());
        let status = answer.get("status").and_then(Value::as_str).unwrap();
        prop_assert!(["online", "offline", "not_connected"].contains(&status));
    }

    #[test]
    fn what_no_record_is_about_stays(value in any_value(), at in any_edition(), contact in any_contact()) {
        let shaper = Shaper::new(published(), at);
        for (shape, _) in SHAPES {
            let answer = shape(shaper, json!({ "other": value }), &contact);
            prop_assert_eq!(answer.get("other"), Some(&value));
        }
    }
}
