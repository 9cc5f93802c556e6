//! Named endpoints (`ALRT-01`).

use std::collections::BTreeMap;

use alert_intake::flow::integrations::{
    IntegrationError, IntegrationUpdate, MAX_GRACE_SECONDS, MAX_INTEGRATIONS, create, delete, list,
    rotate_key, update,
};
use alert_intake::model::{
    Integration, IntegrationSettings, NewIntegration, SettingsError, SeverityTable, Source,
};
use api_conventions::secret::SecretDigest;
use storage::Store as _;

use crate::support::{HERE, Intake, at};

fn named(name: &str, identifier: &str) -> NewIntegration {
    NewIntegration {
        project_id: HERE,
        source: Source::Generic,
        name: name.to_owned(),
        endpoint_identifier: identifier.to_owned(),
        active: true,
        key: SecretDigest::of("the key"),
        settings: IntegrationSettings::default(),
        created_at: at(1),
    }
}

fn created(intake: &Intake, new: NewIntegration) -> Result<Integration, IntegrationError> {
    intake.0.write(move |tx| create(tx, &new)).wait()
}

#[test]
fn an_endpoint_is_created_changed_and_deleted() {
    let intake = Intake::default();
    let endpoint = created(&intake, named(" Kuma ", "0123456789abcdef")).unwrap();
    assert_eq!(
        (endpoint.name.as_str(), endpoint.created_at),
        ("Kuma", at(1))
    );
    let id = endpoint.id;
    let settings = IntegrationSettings {
        ignored_labels: vec!["replica".to_owned()],
        ..IntegrationSettings::default()
    };
    let change = IntegrationUpdate {
        ignored_labels: Some(settings.ignored_labels.clone()),
        ..IntegrationUpdate::default()
    };
    let changed = intake.0.write(move |tx| update(tx, HERE, id, &change));
    let expected = Integration {
        settings,
        ..endpoint.clone()
    };
    assert_eq!(changed.wait().unwrap(), (endpoint, expected.clone()));
    let words = BTreeMap::from([("red".to_owned(), "high".to_owned())]);
    let severities = SeverityTable::try_from(words).unwrap();
    let switched = IntegrationUpdate {
        name: Some("Uptime".to_owned()),
        active: Some(false),
        severities: Some(severities.clone()),
        ..IntegrationUpdate::default()
    };
    let changed = intake.0.write(move |tx| update(tx, HERE, id, &switched));
    let expected = Integration {
        name: "Uptime".to_owned(),
        active: false,
        settings: IntegrationSettings {
            severities,
            ..expected.settings.clone()
        },
        ..expected
    };
    assert_eq!(changed.wait().unwrap().1, expected);
    let deleted = intake.0.write(move |tx| delete(tx, HERE, id));
    assert_eq!(deleted.wait().unwrap(), expected);
    let again = intake.0.write(move |tx| delete(tx, HERE, id));
    assert!(matches!(again.wait(), Err(IntegrationError::NotFound)));
}

#[test]
fn a_rotated_key_is_valid_for_its_grace_at_most() {
    let intake = Intake::default();
    let id = created(&intake, named("Kuma", "a")).unwrap().id;
    let (old, new) = (SecretDigest::of("the key"), SecretDigest::of("new"));
    for (grace, still_valid, ended) in [
        (0, None, 0),
        (60, Some(59), 60),
        (i64::MAX, Some(MAX_GRACE_SECONDS - 1), MAX_GRACE_SECONDS),
    ] {
        intake
            .0
            .write(move |tx| rotate_key(tx, HERE, id, old, 0, at(0)))
            .wait()
            .unwrap();
        let rotated = intake
            .0
            .write(move |tx| rotate_key(tx, HERE, id, new, grace, at(0)));
        let rotated = rotated.wait().unwrap();
        assert!(rotated.accepts(&new, at(i64::from(u32::MAX))));
        assert!(
            still_valid.is_none_or(|second| rotated.accepts(&old, at(second))),
            "{grace}"
        );
        assert!(!rotated.accepts(&old, at(ended)), "{grace}");
    }
}

#[test]
fn a_refused_endpoint_leaves_nothing() {
    let intake = Intake::default();
    for number in 0..MAX_INTEGRATIONS - 1 {
        created(&intake, named("Kuma", &format!("id{number}"))).unwrap();
    }
    let crowded = NewIntegration {
        settings: IntegrationSettings {
            ignored_labels: vec![String::new()],
            ..IntegrationSettings::default()
        },
        ..named("Kuma", "a")
    };
    for (new, expected) in [
        (named(" ", "a"), "Name"),
        (named(&"x".repeat(256), "a"), "Name"),
        (named("a\nb", "a"), "Name"),
        (named("Kuma", "id0"), "IdentifierTaken"),
        (crowded, "Settings(Labels)"),
    ] {
        let refused = created(&intake, new).unwrap_err();
        assert_eq!(format!("{refused:?}"), expected);
    }
    created(&intake, named("Last", "legacy")).unwrap();
    let refused = created(&intake, named("One more", "a")).unwrap_err();
    assert!(matches!(refused, IntegrationError::TooMany));
    let all = intake.0.read(move |tx| list(tx, HERE)).wait().unwrap();
    assert_eq!(all.len(), MAX_INTEGRATIONS);
    assert!(all.is_sorted_by_key(|endpoint| endpoint.id));
    let legacy = all.last().unwrap().id;
    let refused = intake.0.write(move |tx| delete(tx, HERE, legacy)).wait();
    assert!(matches!(refused, Err(IntegrationError::Predefined)));
    let mapped = r#"{"mapping": [{"field": "title", "path": ["a"]}]}"#;
    let mapped: IntegrationSettings = serde_json::from_str(mapped).unwrap();
    assert_eq!(
        mapped.validate(Source::Metrics),
        Err(SettingsError::FixedPayload)
    );
    assert_eq!(mapped.validate(Source::Generic), Ok(()));
}
