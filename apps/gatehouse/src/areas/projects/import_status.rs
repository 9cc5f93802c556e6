//! How the import and the export of a project went, in the bodies that clients know.

use api_conventions::ids::ProjectId;
use api_conventions::time::Timestamp;
use projects::{FullNames, Project};
use schemars::JsonSchema;
use serde::Serialize;

/// A project as both tell of it.
#[derive(Serialize, JsonSchema)]
struct Identity {
    id: ProjectId,
    description: Option<String>,
    name: String,
    name_with_namespace: String,
    path: String,
    path_with_namespace: String,
    created_at: Timestamp,
}

impl Identity {
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

/// A part of an archive that could not be imported. An import is all or nothing, so there is none.
#[derive(Serialize, JsonSchema)]
pub(super) struct FailedRelation {
    id: i64,
}

/// Numbers of objects that were imported from another kind of server. None is, so there are none.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportStats {
    fetched: u64,
}

/// How the import of a project went. It is done when it is answered, so nothing of it can have failed.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImportStatus {
    #[serde(flatten)]
    project: Identity,
    #[serde(rename = "import_status")]
    status: &'static str,
    import_type: Option<String>,
    /// The id of the request that imports. It is in the answer to that alone.
    correlation_id: Option<String>,
    failed_relations: Vec<FailedRelation>,
    import_error: Option<String>,
    stats: Option<ImportStats>,
}

impl ImportStatus {
    /// Of a project that was imported. `service` is the word for the service in names.
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

    /// Of a project that somebody made without an archive.
    pub(super) fn none(project: &Project, names: &FullNames) -> Self {
        Self {
            project: Identity::of(project, names),
            status: "none",
            import_type: None,
            correlation_id: None,
            failed_relations: Vec::new(),
            import_error: None,
            stats: None,
        }
    }
}

/// How the export of a project goes. The archive is made when it is downloaded, so it is always there.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExportStatus {
    #[serde(flatten)]
    project: Identity,
    #[serde(rename = "export_status")]
    status: &'static str,
    #[serde(rename = "_links")]
    links: ExportLinks,
}

/// Where the archive is.
#[derive(Serialize, JsonSchema)]
struct ExportLinks {
    api_url: String,
}

impl ExportStatus {
    /// Of a project, with a link below `base_url`, which has no slash at its end.
    pub(super) fn of(project: &Project, names: &FullNames, base_url: &str) -> Self {
        let api_url = format!("{base_url}/api/v4/projects/{}/export/download", project.id);
        Self {
            project: Identity::of(project, names),
            status: "finished",
            links: ExportLinks { api_url },
        }
    }
}
