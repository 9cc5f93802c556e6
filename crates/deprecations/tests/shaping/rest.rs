//! Packages, jobs and approvals.

use api_conventions::time::Timestamp;
use serde_json::json;

use crate::editions::{latest_v4, v4, v5};

#[test]
fn packages_lose_pipelines_with_16_0_and_keep_the_single_one() {
    let newest = json!([
        { "id": 1, "pipeline": { "id": 7 }, "pipelines": [{ "id": 7 }, { "id": 6 }] },
        { "id": 2, "pipeline": { "id": 8 } },
        { "id": 3, "pipeline": null },
        { "id": 4 },
        "text",
    ]);
    let before = json!([
        { "id": 1, "pipeline": { "id": 7 }, "pipelines": [{ "id": 7 }, { "id": 6 }] },
        { "id": 2, "pipeline": { "id": 8 }, "pipelines": [{ "id": 8 }] },
        { "id": 3, "pipeline": null, "pipelines": [] },
        { "id": 4, "pipelines": [] },
        "text",
    ]);
    let after = json!([
        { "id": 1, "pipeline": { "id": 7 } },
        { "id": 2, "pipeline": { "id": 8 } },
        { "id": 3, "pipeline": null },
        { "id": 4 },
        "text",
    ]);
    for shaper in [v4("14.0"), v4("15.11")] {
        assert_eq!(shaper.package_list(newest.clone()), before);
    }
    for shaper in [v4("16.0"), latest_v4(), v5()] {
        assert_eq!(shaper.package_list(newest.clone()), after);
    }
}

#[test]
fn a_search_in_a_project_stays_there_from_16_0_on() {
    let found = vec![("a", 1), ("b", 2), ("c", 1)];
    let search = |shaper: deprecations::shaping::Shaper<'_>| {
        shaper.package_search(1, found.clone(), |package| package.1)
    };
    assert_eq!(search(v4("15.11")), found);
    for shaper in [v4("16.0"), latest_v4(), v5()] {
        assert_eq!(search(shaper), [("a", 1), ("c", 1)]);
    }
}

#[test]
fn jobs_have_an_age_before_16_0() {
    let time = |text| Timestamp::parse_rfc3339(text).unwrap();
    let created_at = time("2023-01-01T00:00:00.5Z");
    let newest = json!({ "id": 1, "token": "t" });
    for (now, age) in [
        ("2023-01-01T00:01:00.5Z", 60),
        ("2023-01-01T00:01:00.4Z", 59),
        ("2023-01-01T00:00:00.5Z", 0),
        ("2022-01-01T00:00:00Z", 0),
    ] {
        let now = time(now);
        for shaper in [v4("14.0"), v4("15.11")] {
            let answer = shaper.job(newest.clone(), created_at, now);
            assert_eq!(answer, json!({ "id": 1, "token": "t", "job_age": age }));
        }
        for shaper in [v4("16.0"), latest_v4(), v5()] {
            let with_age = json!({ "id": 1, "token": "t", "job_age": 5 });
            assert_eq!(shaper.job(newest.clone(), created_at, now), newest);
            assert_eq!(shaper.job(with_age, created_at, now), newest);
        }
    }
    assert_eq!(
        v4("15.9").job(json!(null), created_at, created_at),
        json!(null)
    );
}

#[test]
fn approvers_are_empty_until_v5() {
    let newest = json!({ "approvals_before_merge": 2 });
    let given = json!({ "approvals_before_merge": 2, "approvers": [1], "approval_groups": null });
    let expected = json!({
        "approvals_before_merge": 2, "approvers": [], "approval_groups": [],
    });
    for shaper in [v4("14.0"), v4("16.0"), latest_v4()] {
        assert_eq!(shaper.approval_configuration(newest.clone()), expected);
        assert_eq!(shaper.approval_configuration(given.clone()), expected);
    }
    assert_eq!(v5().approval_configuration(given), newest);
    assert_eq!(v5().approval_configuration(newest.clone()), newest);
}

#[test]
fn approvals_are_changed_there_before_16_0() {
    for (shaper, expected) in [
        (v4("14.0"), true),
        (v4("15.11"), true),
        (v4("16.0"), false),
        (latest_v4(), false),
        (v5(), false),
    ] {
        assert_eq!(shaper.has_changing_of_approvals(), expected);
    }
}
