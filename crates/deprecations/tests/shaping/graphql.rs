//! The GraphQL API.

use serde_json::json;

use crate::editions::{latest_v4, v4, v5};

#[test]
fn names_are_there_until_their_removal() {
    for (name, last, first_without) in [
        ("CiRunnerStatus.PAUSED", "15.11", "16.0"),
        ("CiRunnerStatus.ACTIVE", "15.11", "16.0"),
        ("CiRunner.status(legacyMode)", "16.11", "17.0"),
        ("Mutation.ciCdSettingsUpdate", "15.11", "16.0"),
        (
            "SharedRunnersSetting.DISABLED_WITH_OVERRIDE",
            "15.11",
            "16.0",
        ),
        ("PipelineSecurityReportFinding.name", "15.11", "16.0"),
        (
            "PipelineSecurityReportFinding.projectFingerprint",
            "15.11",
            "16.0",
        ),
        ("ReleaseAssetLink.external", "15.11", "16.0"),
        ("Requirement.iid", "16.11", "17.0"),
        ("Query.runnerPlatforms", "16.11", "17.0"),
        ("Query.runnerSetup", "16.11", "17.0"),
    ] {
        assert!(v4(last).has_graphql(name), "{name}");
        assert!(v4(last).graphql_reason(name).is_some(), "{name}");
        for shaper in [v4(first_without), latest_v4(), v5()] {
            assert!(!shaper.has_graphql(name), "{name}");
            assert_eq!(shaper.graphql_reason(name), None, "{name}");
        }
    }
    assert!(latest_v4().has_graphql("Note.confidential"));
    assert!(!v5().has_graphql("Note.confidential"));
    assert!(v5().has_graphql("Note.internal"));
}

#[test]
fn reasons_end_with_the_release_that_announced() {
    for (name, before, since, reason) in [
        (
            "Note.confidential",
            "15.4",
            "15.5",
            "Use `internal`. Deprecated in 15.5.",
        ),
        (
            "ReleaseAssetLink.external",
            "15.8",
            "15.9",
            "There is no replacement. Deprecated in 15.9.",
        ),
        (
            "Mutation.ciCdSettingsUpdate",
            "14.10",
            "15.0",
            "Use `ProjectCiCdSettingsUpdate`. Deprecated in 15.0.",
        ),
    ] {
        assert!(v4(before).has_graphql(name), "{name}");
        assert_eq!(v4(before).graphql_reason(name), None, "{name}");
        assert_eq!(v4(since).graphql_reason(name).as_deref(), Some(reason));
    }
    assert_eq!(v4("15.9").graphql_reason("Note.body"), None);
}

#[test]
fn all_that_is_deprecated_is_listed_once() {
    let found = v4("15.9").graphql_deprecations();
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    let mut once = names.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), names.len());
    assert!(names.contains(&"Note.confidential") && names.contains(&"Query.runnerSetup"));
    let left: Vec<&str> = latest_v4()
        .graphql_deprecations()
        .iter()
        .map(|it| it.0)
        .collect();
    assert_eq!(left, ["Note.confidential"]);
    assert!(v5().graphql_deprecations().is_empty());
}

#[test]
fn notes_have_confidential_until_it_goes() {
    let newest = json!({ "internal": true });
    let both = json!({ "internal": true, "confidential": true });
    for shaper in [v4("15.4"), v4("15.5"), latest_v4()] {
        assert_eq!(shaper.graphql_note(newest.clone()), both);
        let other = json!({ "internal": true, "confidential": false });
        assert_eq!(shaper.graphql_note(other), both);
    }
    assert_eq!(v5().graphql_note(both), newest);
    assert_eq!(
        v5().graphql_note(json!({ "body": "b" })),
        json!({ "body": "b" })
    );
}

#[test]
fn findings_have_their_old_names_before_16_0() {
    let newest = json!({ "title": "t", "uuid": "u", "projectFingerprint": "f" });
    for shaper in [v4("14.0"), v4("15.11")] {
        let answer = shaper.graphql_finding(newest.clone());
        let expected = json!({ "title": "t", "name": "t", "uuid": "u", "projectFingerprint": "f" });
        assert_eq!(answer, expected);
        let without = json!({ "uuid": "u" });
        assert_eq!(shaper.graphql_finding(without.clone()), without);
    }
    for shaper in [v4("16.0"), latest_v4(), v5()] {
        let answer = shaper.graphql_finding(newest.clone());
        assert_eq!(answer, json!({ "title": "t", "uuid": "u" }));
    }
}

#[test]
fn requirements_have_their_own_number_until_17_0() {
    let both = json!({ "iid": "3", "workItemIid": "40" });
    let newest = json!({ "workItemIid": "40" });
    for shaper in [v4("15.8"), v4("16.11")] {
        assert_eq!(shaper.graphql_requirement(both.clone()), both);
        assert_eq!(shaper.graphql_requirement(newest.clone()), newest);
    }
    for shaper in [v4("17.0"), v5()] {
        assert_eq!(shaper.graphql_requirement(both.clone()), newest);
    }
}

#[test]
fn shared_runners_have_the_value_that_clients_of_the_edition_know() {
    let (old, new) = ("DISABLED_WITH_OVERRIDE", "DISABLED_AND_OVERRIDABLE");
    for shaper in [v4("15.7"), v4("15.11")] {
        assert_eq!(shaper.graphql_shared_runners_setting(new), old);
        assert_eq!(shaper.graphql_shared_runners_setting(old), old);
        assert_eq!(shaper.shared_runners_setting_sent(old), Some(new));
        assert_eq!(shaper.shared_runners_setting_sent(new), Some(new));
    }
    for shaper in [v4("16.0"), latest_v4(), v5()] {
        assert_eq!(shaper.graphql_shared_runners_setting(new), new);
        assert_eq!(shaper.graphql_shared_runners_setting(old), new);
        assert_eq!(shaper.shared_runners_setting_sent(old), None);
        assert_eq!(shaper.shared_runners_setting_sent(new), Some(new));
    }
    for shaper in [v4("15.7"), v5()] {
        assert_eq!(shaper.graphql_shared_runners_setting("ENABLED"), "ENABLED");
        assert_eq!(
            shaper.shared_runners_setting_sent("ENABLED"),
            Some("ENABLED")
        );
    }
}
