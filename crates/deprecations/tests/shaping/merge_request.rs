//! Merge requests.

use serde_json::{Value, json};

use crate::editions::{fields, latest_v4, v4, v5};

#[test]
fn old_names_come_beside_new_ones_until_v5() {
    let newest = json!({
        "iid": 3,
        "merge_user": { "id": 1 },
        "detailed_merge_status": "not_approved",
    });
    let mut expected = newest.clone();
    expected["merged_by"] = json!({ "id": 1 });
    expected["merge_status"] = json!("can_be_merged");
    for shaper in [v4("14.0"), v4("15.9"), v4("16.0"), latest_v4()] {
        assert_eq!(shaper.merge_request(newest.clone()), expected);
        let list = json!([newest, "text", [newest]]);
        let answer = shaper.merge_request(list);
        assert_eq!(answer, json!([expected, "text", [expected]]));
    }
    assert_eq!(v5().merge_request(newest.clone()), newest);
    assert_eq!(v5().merge_request(expected), newest);
}

#[test]
fn merged_by_is_what_merge_user_is() {
    let both = json!({ "merge_user": null, "merged_by": { "id": 2 } });
    let answer = v4("15.9").merge_request(both);
    assert_eq!(answer, json!({ "merge_user": null, "merged_by": null }));
    let only_old = json!({ "merged_by": { "id": 2 } });
    let answer = v5().merge_request(only_old);
    assert_eq!(answer, json!({ "merge_user": { "id": 2 } }));
}

#[test]
fn the_older_status_says_only_whether_the_branches_can_be_merged() {
    for (detailed, expected) in [
        ("unchecked", "unchecked"),
        ("checking", "checking"),
        ("preparing", "checking"),
        ("mergeable", "can_be_merged"),
        ("conflict", "cannot_be_merged"),
        ("broken_status", "cannot_be_merged"),
        ("commits_status", "cannot_be_merged"),
        ("ci_must_pass", "can_be_merged"),
        ("ci_still_running", "can_be_merged"),
        ("discussions_not_resolved", "can_be_merged"),
        ("draft_status", "can_be_merged"),
        ("not_open", "can_be_merged"),
        ("need_rebase", "can_be_merged"),
        ("something_new", "unchecked"),
        ("", "unchecked"),
    ] {
        let newest = json!({ "detailed_merge_status": detailed });
        let answer = v4("15.9").merge_request(newest);
        assert_eq!(answer["merge_status"], expected, "{detailed}");
    }
}

#[test]
fn a_status_that_is_given_stays_and_none_is_made_up() {
    let newest = json!({ "merge_status": "cannot_be_merged", "detailed_merge_status": "not_open" });
    assert_eq!(v4("15.9").merge_request(newest.clone()), newest);
    for newest in [
        json!({}),
        json!({ "detailed_merge_status": null }),
        json!("text"),
    ] {
        assert_eq!(v4("15.9").merge_request(newest.clone()), newest);
        assert_eq!(v5().merge_request(newest.clone()), newest);
    }
}

#[test]
fn the_changes_of_a_merge_request_are_there_until_v5() {
    let newest = fields(json!({ "iid": 3, "merge_user": null }));
    let diffs = vec![json!({ "new_path": "a", "diff": "@@" })];
    for (shaper, has_more) in [(v4("15.9"), false), (latest_v4(), true)] {
        assert!(shaper.has_changes_of_merge_request());
        let answer = shaper.changes_of_merge_request(newest.clone(), diffs.clone(), has_more);
        let expected = json!({
            "iid": 3,
            "merge_user": null,
            "merged_by": null,
            "changes": [{ "new_path": "a", "diff": "@@" }],
            "overflow": has_more,
        });
        assert_eq!(answer, Some(expected));
    }
    let empty = v4("15.9").changes_of_merge_request(fields(json!({})), Vec::new(), false);
    assert_eq!(empty, Some(json!({ "changes": [], "overflow": false })));
    assert!(!v5().has_changes_of_merge_request());
    let none: Option<Value> = v5().changes_of_merge_request(newest, diffs, false);
    assert_eq!(none, None);
}
