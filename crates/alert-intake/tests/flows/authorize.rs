//! Authorization of senders at alert endpoints.

use alert_intake::flow::authorize::{KeyOutcome, authorize};
use alert_intake::flow::create_integration::create_integration;
use alert_intake::model::{Integration, IntegrationSettings, NewIntegration, Source};
use api_conventions::ids::ProjectId;
use api_conventions::secret::SecretDigest;
use storage::Store as _;

use crate::support::{HERE, Intake, THERE, at};

/// Creates a store with an active and an inactive endpoint, both with the key `the key`.
fn prepared() -> Intake {
    let intake = Intake::default();
    for (identifier, active) in [("on", true), ("off", false)] {
        let request = NewIntegration {
            project_id: HERE,
            source: Source::Generic,
            name: identifier.to_owned(),
            endpoint_identifier: identifier.to_owned(),
            active,
            key: SecretDigest::of("the key"),
            settings: IntegrationSettings::default(),
            created_at: at(1),
        };
        let made = intake.0.write(move |tx| create_integration(tx, &request));
        made.wait().unwrap();
    }
    intake
}

fn judged(
    intake: &Intake,
    project: Option<ProjectId>,
    identifier: &'static str,
    header: Option<&'static str>,
) -> KeyOutcome<Box<Integration>> {
    let judged = intake
        .0
        .read(move |tx| authorize(tx, project, identifier, header, at(5)));
    judged.wait().unwrap()
}

#[test]
fn the_right_key_is_authorized_by_either_scheme() {
    let intake = prepared();
    // The Basic credentials are `anybody:the key`.
    for header in ["Bearer the key", "Basic YW55Ym9keTp0aGUga2V5"] {
        let outcome = judged(&intake, Some(HERE), "on", Some(header));
        let integration = outcome.authorized().unwrap();
        assert_eq!(integration.endpoint_identifier, "on", "{header}");
    }
}

#[test]
fn only_a_caller_with_the_key_sees_that_the_endpoint_is_inactive() {
    let intake = prepared();
    let outcome = judged(&intake, Some(HERE), "off", Some("Bearer the key"));
    assert_eq!(outcome, KeyOutcome::Inactive);
    assert_eq!(outcome.authorized().unwrap_err().status(), 403);
    let outcome = judged(&intake, Some(HERE), "off", Some("Bearer wrong"));
    assert_eq!(outcome, KeyOutcome::Refused);
}

#[test]
fn everything_else_is_refused_alike() {
    let intake = prepared();
    for (project, identifier, header) in [
        (Some(HERE), "on", None),
        (Some(HERE), "on", Some("Bearer wrong")),
        (Some(HERE), "on", Some("the key")),
        (Some(HERE), "none", Some("Bearer the key")),
        (Some(THERE), "on", Some("Bearer the key")),
        (None, "on", Some("Bearer the key")),
    ] {
        let outcome = judged(&intake, project, identifier, header);
        assert_eq!(
            outcome,
            KeyOutcome::Refused,
            "{project:?} {identifier} {header:?}"
        );
        assert_eq!(outcome.authorized().unwrap_err().status(), 401);
    }
}
