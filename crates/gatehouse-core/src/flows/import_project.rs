//! Import of a project from an archive (`PATH-02`).

use std::sync::Arc;

use accounts::{AuditEntity, AuditEventName, AuditFilter, User};
use api_conventions::access::Visibility;
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::secret::SecretDigest;
use projects::archive::Archive;
use projects::flow::create_project::CreateProject;
use projects::flow::error::NamespaceError;
use projects::flow::import::{check_importer, import_contents};
use projects::rules::imported_text::Importer;
use projects::{NamespaceKind, Project};
use storage::StoreError;

use super::groups::Actor;
use super::projects::{create_project, note};
use crate::database::{ReadTransaction, WriteTransaction};

/// Number of first audit log entries that are searched for the import: it follows the entry of the creation.
const FIRST_ENTRIES: u16 = 5;

/// A request to create a project from an archive.
#[derive(Debug, Clone)]
pub struct ImportProject {
    /// Name and namespace of the project. Its visibility comes from [`Self::visibility`].
    pub place: CreateProject,
    /// Visibility chosen by the importer; otherwise that of the original project, limited by the group.
    pub visibility: Option<Visibility>,
    /// Content of the project.
    pub archive: Arc<Archive>,
    /// The user who imports the project.
    pub importer: Arc<User>,
    /// True if Developers may import into groups in which they may create projects; otherwise it takes a Maintainer.
    pub developers_import: bool,
}

/// Creates a project with all contents of the archive and with its alert endpoints, which get the key.
/// The feed has an entry for the project, and none for the records in it.
///
/// # Errors
/// [`NamespaceError::Forbidden`] if the caller sees the group but has too low a role in it; see
/// [`prepare_project`](projects::flow::create_project::prepare_project) and [`import_contents`] for the others.
pub fn import_project(
    tx: &mut dyn WriteTransaction,
    request: &ImportProject,
    key: SecretDigest,
    actor: Actor,
) -> Result<Project, NamespaceError> {
    let mut place = request.place.clone();
    if let Some(namespace) = place.namespace
        && !request.developers_import
    {
        check_importer(tx, namespace, actor.viewer, actor.now)?;
    }
    place.content.visibility = visibility(tx, request)?;
    let project = create_project(tx, place, key, actor)?;
    let by = Importer {
        user: request.importer.id,
        username: request.importer.username.as_str(),
        name: &request.importer.name,
        now: actor.now,
    };
    import_contents(tx, project.id, &request.archive, by)?;
    let issues = request.archive.issues.len().to_string();
    let fields = [("issues", issues.as_str())];
    let event = AuditEventName::ProjectImported;
    note(tx, project.id, event, &fields, actor)?;
    Ok(project)
}

/// Returns the visibility of the new project.
/// The archived visibility is narrowed to the limit of the group, because the groups of its server were different. A
/// visibility chosen by the importer is not narrowed, but refused if it is too wide.
fn visibility(
    tx: &mut dyn WriteTransaction,
    request: &ImportProject,
) -> Result<Visibility, StoreError> {
    if let Some(visibility) = request.visibility {
        return Ok(visibility);
    }
    let archived = request.archive.project.visibility;
    let archived = archived.unwrap_or(Visibility::Private);
    let Some(namespace) = request.place.namespace else {
        return Ok(archived);
    };
    let namespace = tx.find_namespace_by_id(namespace)?;
    let group = namespace.filter(|one| one.kind == NamespaceKind::Group);
    Ok(group.map_or(archived, |group| archived.min(group.visibility)))
}

/// True if a project was created from an archive, according to its audit log.
///
/// # Errors
/// Failures of the store.
pub fn was_imported(tx: &mut dyn ReadTransaction, project: ProjectId) -> Result<bool, StoreError> {
    let log = AuditFilter::of(AuditEntity::Project(project));
    let page = KeysetPage::new(FIRST_ENTRIES, SortOrder::Ascending);
    let first = tx.list_audit_entries(&log, None, page)?;
    let mut first = first.items.iter();
    Ok(first.any(|entry| entry.event_name == AuditEventName::ProjectImported))
}
