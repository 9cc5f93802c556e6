//! Links to assets, alone and in releases.

use serde_json::{Value, json};

use crate::editions::{fields, latest_v4, v4, v5};

#[test]
fn links_lose_external_with_16_0_and_filepath_with_17_0() {
    let newest = json!({ "id": 1, "direct_asset_path": "/a" });
    for (shaper, expected) in [
        (
            v4("15.8"),
            json!({ "id": 1, "external": true, "filepath": "/a" }),
        ),
        (
            v4("15.9"),
            json!({ "id": 1, "external": true, "filepath": "/a", "direct_asset_path": "/a" }),
        ),
        (
            v4("15.11"),
            json!({ "id": 1, "external": true, "filepath": "/a", "direct_asset_path": "/a" }),
        ),
        (
            v4("16.0"),
            json!({ "id": 1, "filepath": "/a", "direct_asset_path": "/a" }),
        ),
        (
            v4("16.11"),
            json!({ "id": 1, "filepath": "/a", "direct_asset_path": "/a" }),
        ),
        (v4("17.0"), newest.clone()),
        (latest_v4(), newest.clone()),
        (v5(), newest.clone()),
    ] {
        let edition = shaper.edition();
        assert_eq!(shaper.asset_link(newest.clone()), expected, "{edition}");
        let list = json!([newest, newest]);
        assert_eq!(
            shaper.asset_link(list),
            json!([expected, expected]),
            "{edition}"
        );
        let releases = json!([{ "tag_name": "v1", "assets": { "count": 1, "links": [newest] } }]);
        let mut in_release = releases.clone();
        in_release[0]["assets"]["links"][0] = expected.clone();
        assert_eq!(shaper.release(releases), in_release, "{edition}");
        let given_both = json!({
            "id": 1, "external": false, "filepath": "/old", "direct_asset_path": "/a",
        });
        assert_eq!(shaper.asset_link(given_both), expected, "{edition}");
    }
}

#[test]
fn a_link_without_a_path_is_given_none_and_what_is_no_release_stays() {
    let newest = json!({ "id": 1, "direct_asset_url": "https://a.example" });
    assert_eq!(v4("16.0").asset_link(newest.clone()), newest);
    for newest in [
        json!({ "tag_name": "v1" }),
        json!({ "assets": null }),
        json!({ "assets": { "links": "x" } }),
        json!({ "assets": { "links": [3] } }),
        json!(4),
    ] {
        assert_eq!(v4("15.9").release(newest.clone()), newest);
    }
}

#[test]
fn the_path_is_taken_under_both_names_and_the_new_one_wins() {
    for (sent, at_15_8, at_15_9, at_17_0) in [
        (json!({ "filepath": "/o" }), Some("/o"), Some("/o"), None),
        (
            json!({ "direct_asset_path": "/n" }),
            None,
            Some("/n"),
            Some("/n"),
        ),
        (
            json!({ "filepath": "/o", "direct_asset_path": "/n" }),
            Some("/o"),
            Some("/n"),
            Some("/n"),
        ),
        (json!({ "name": "x" }), None, None, None),
    ] {
        for (shaper, path) in [
            (v4("15.8"), at_15_8),
            (v4("15.9"), at_15_9),
            (v4("16.11"), at_15_9),
            (v4("17.0"), at_17_0),
            (v5(), at_17_0),
        ] {
            let mut expected = fields(sent.clone());
            expected.retain(|name, _| name == "name");
            if let Some(path) = path {
                expected.insert("direct_asset_path".to_owned(), path.into());
            }
            let edition = shaper.edition();
            let taken = shaper.asset_link_parameters(fields(sent.clone()));
            assert_eq!(taken, expected, "{sent} {edition}");
            let release = json!({ "tag_name": "v1", "assets": { "links": [sent] } });
            let taken = shaper.release_parameters(fields(release));
            let of_release = json!({ "tag_name": "v1", "assets": { "links": [expected] } });
            assert_eq!(Value::Object(taken), of_release, "{sent} {edition}");
        }
    }
}

#[test]
fn null_for_the_new_name_is_a_value_of_it() {
    let sent = fields(json!({ "filepath": "/o", "direct_asset_path": null }));
    let taken = v4("16.0").asset_link_parameters(sent);
    assert_eq!(Value::Object(taken), json!({ "direct_asset_path": null }));
}

#[test]
fn links_in_graphql_lose_external_with_16_0() {
    let newest = json!({ "id": "gid" });
    let before = v4("15.11").graphql_asset_link(newest.clone());
    assert_eq!(before, json!({ "id": "gid", "external": true }));
    assert_eq!(v4("16.0").graphql_asset_link(before), newest);
    assert_eq!(v5().graphql_asset_link(newest.clone()), newest);
}
