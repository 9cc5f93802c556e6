//! Alert endpoints.

use alert_intake::flow::create_integration::create_integration;
use alert_intake::model::{Integration, IntegrationSettings, NewIntegration, Source};
use alert_intake::store::AlertQueries as _;
use api_conventions::ids::{IntegrationId, ProjectId};
use api_conventions::secret::SecretDigest;
use storage::{Store as _, StoreError, StoreErrorKind};

use crate::support::{HERE, Intake, THERE, at};

fn request(project: ProjectId, identifier: &str, active: bool) -> NewIntegration {
    NewIntegration {
        project_id: project,
        source: Source::Metrics,
        name: "Prometheus".to_owned(),
        endpoint_identifier: identifier.to_owned(),
        active,
        key: SecretDigest::of("the key"),
        settings: IntegrationSettings::default(),
        created_at: at(1),
    }
}

fn create(intake: &Intake, request: NewIntegration) -> Result<IntegrationId, StoreError> {
    intake
        .0
        .write(move |tx| create_integration(tx, &request))
        .wait()
}

fn find(intake: &Intake, project: ProjectId, identifier: &'static str) -> Option<Integration> {
    let found = intake
        .0
        .read(move |tx| tx.find_integration(project, identifier));
    found.wait().unwrap()
}

/// ALRT-01.
#[test]
fn an_endpoint_is_found_by_its_identifier_with_all_its_fields() {
    let intake = Intake::default();
    for active in [true, false] {
        let identifier = if active { "on" } else { "off" };
        let id = create(&intake, request(HERE, identifier, active)).unwrap();
        let found = find(&intake, HERE, identifier).unwrap();
        let expected = Integration {
            id,
            project_id: HERE,
            source: Source::Metrics,
            name: "Prometheus".to_owned(),
            endpoint_identifier: identifier.to_owned(),
            active,
            key: SecretDigest::of("the key"),
            retired_key: None,
            settings: IntegrationSettings::default(),
            created_at: at(1),
        };
        assert_eq!(found, expected);
    }
}

#[test]
fn identifiers_are_unique_per_project() {
    let intake = Intake::default();
    let first = create(&intake, request(HERE, "metrics", true)).unwrap();
    let refused = create(&intake, request(HERE, "metrics", true)).unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Conflict);
    let second = create(&intake, request(THERE, "metrics", true)).unwrap();
    assert_ne!(first, second);
    assert_eq!(
        find(&intake, HERE, "metrics").map(|found| found.id),
        Some(first)
    );
    assert_eq!(
        find(&intake, THERE, "metrics").map(|found| found.id),
        Some(second)
    );
}

#[test]
fn an_identifier_is_found_exactly() {
    let intake = Intake::default();
    create(&intake, request(HERE, "legacy", true)).unwrap();
    for other in ["Legacy", "legacy ", "", "legac%"] {
        assert_eq!(find(&intake, HERE, other), None, "{other:?}");
    }
}
