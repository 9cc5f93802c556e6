//! Creation of a project with its alert endpoints and its first entry in the feed.

use alert_intake::flow::create_integration::create_integration;
use alert_intake::model::{Integration, IntegrationSettings, NewIntegration, Source};
use api_conventions::secret::SecretDigest;
use events::flow::record::record_project_created;
use projects::flow::create_project::create_project;
use projects::flow::error::NamespaceError;
use projects::{NewProject, Project};

use crate::database::WriteTransaction;

/// Creates a project with one endpoint of each kind, both with the same key, and records it in the feed. The caller records
/// it in the audit log.
///
/// # Errors
/// See [`NamespaceError`].
pub(super) fn create_project_with_endpoints(
    tx: &mut dyn WriteTransaction,
    request: &NewProject,
    key: SecretDigest,
) -> Result<Project, NamespaceError> {
    let project = create_project(tx, request)?;
    let endpoints = [
        (
            Source::Generic,
            Integration::GENERIC_IDENTIFIER,
            "HTTP endpoint",
        ),
        (
            Source::Metrics,
            Integration::METRICS_IDENTIFIER,
            "Alertmanager",
        ),
    ];
    for (source, identifier, name) in endpoints {
        let integration = NewIntegration {
            project_id: project.id,
            source,
            name: name.to_owned(),
            endpoint_identifier: identifier.to_owned(),
            active: true,
            key,
            settings: IntegrationSettings::default(),
            created_at: request.created_at,
        };
        create_integration(tx, &integration)?;
    }
    record_project_created(tx, project.id, request.creator_id, request.created_at)?;
    Ok(project)
}
