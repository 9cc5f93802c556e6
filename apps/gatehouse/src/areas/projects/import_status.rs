//! Import and export status of a project, in GitLab's JSON shapes.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use projects::{FullNames, Project};
use schemars::JsonSchema;
use serde::Serialize;

/// Project fields that both statuses share.
#[derive(Serialize, JsonSchema)]
struct ProjectIdentity {
    id: ProjectId,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: Timestamp,
}

impl ProjectIdentity {
    fn of(project: &Project, names: &FullNames) -> Self {
        let description = &project.description;
        Self {
            id: project.id,
            description: (!description.is_empty()).then(|| description.clone()),
            name: project.name.clone(),
            name_with_namespace: names.of_project(project),
            path: project.path.clone(),
            path_with_namespace: project.full_path.as_str().to_owned(),
            created_at: project.created_at,
        }
    }
}

/// Part of an archive that could not be imported.
/// Always absent, because an import succeeds or fails as a whole.
#[derive(Serialize, JsonSchema)]
pub(super) struct FailedRelation {
    id: i64,
}

/// Counts of objects imported from another kind of server.
/// Always absent, because such imports do not exist.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportStats {
    fetched: u64,
}

/// Import status of a project.
/// An import is finished when its request is answered, so the status never reports a failure.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportStatus {
    #[serde(flatten)]
    project: ProjectIdentity,
    #[serde(rename = "import_status")]
    status: &'static str,
    import_type: Option<String>,
    /// Id of the request that imported the project.
    /// Only the response to that request has it.
    correlation_id: Option<String>,
    failed_relations: Vec<FailedRelation>,
    import_error: Option<String>,
    stats: Option<ImportStats>,
}

impl ImportStatus {
    /// Status of an imported project.
    /// `service` is the service's name in `import_type`.
    pub(super) fn finished(
        project: &Project,
        names: &FullNames,
        service: &str,
        correlation_id: Option<String>,
    ) -> Self {
        Self {
            status: "finished",
            import_type: Some(format!("{service}_project")),
            correlation_id,
            ..Self::none(project, names)
        }
    }

    /// Status of a project that was not imported.
    pub(super) fn none(project: &Project, names: &FullNames) -> Self {
        Self {
            project: ProjectIdentity::of(project, names),
            status: "none",
            import_type: None,
            correlation_id: None,
            failed_relations: Vec::new(),
            import_error: None,
            stats: None,
        }
    }
}

/// Export status of a project.
/// The archive is created on download, so the export is always finished.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExportStatus {
    #[serde(flatten)]
    project: ProjectIdentity,
    #[serde(rename = "export_status")]
    status: &'static str,
    #[serde(rename = "_links")]
    links: ExportLinks,
}

/// Links of an export.
#[derive(Serialize, JsonSchema)]
struct ExportLinks {
    api_url: String,
}

impl ExportStatus {
    /// Status of a project, with a link below `base_url`, which has no trailing slash.
    pub(super) fn of(project: &Project, names: &FullNames, base_url: &str) -> Self {
        let api_url = format!("{base_url}/api/v4/projects/{}/export/download", project.id);
        Self {
            project: ProjectIdentity::of(project, names),
            status: "finished",
            links: ExportLinks { api_url },
        }
    }
}
