//! Making a project of an archive (`PATH-02`).

use std::sync::Arc;

use accounts::{AuditEntity, AuditEventName, User};
use api_conventions::access::Visibility;
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::secret::SecretDigest;
use projects::archive::Archive;
use projects::flow::create_project::CreateProject;
use projects::flow::error::PlaceError;
use projects::flow::import::{check_importer, import_contents};
use projects::rules::imported_text::Importer;
use projects::{NamespaceKind, Project};
use storage::StoreError;

use super::groups::Actor;
use super::projects::{create_project, note};
use crate::database::{ReadTransaction, WriteTransaction};

/// The first entries in the log of a project among which that of its import is: it follows that of its making.
const FIRST_ENTRIES: u16 = 5;

/// A project that somebody wants to make of an archive.
#[derive(Debug, Clone)]
pub struct ImportProject {
    /// The project, and where to put it. Its visibility is that of [`Self::visibility`].
    pub place: CreateProject,
    /// Who is to see it, where the importer says so; otherwise those who did where it comes from, as far as they see its group.
    pub visibility: Option<Visibility>,
    /// What is in it.
    pub archive: Arc<Archive>,
    /// Whose it will be.
    pub importer: Arc<User>,
    /// Whether Developers import into a group where they make projects. Otherwise it takes a Maintainer.
    pub developers_import: bool,
}

/// Makes a project with its alert endpoints, which have the key, and with all that the archive holds. The feed tells of the
/// project and not of each thing in it.
///
/// # Errors
/// [`PlaceError::Forbidden`] for somebody who sees the group and whose role there is too low; see
/// [`place_project`](projects::flow::create_project::place_project) and [`import_contents`] for the others.
pub fn import_project(
    tx: &mut dyn WriteTransaction,
    request: &ImportProject,
    key: SecretDigest,
    actor: Actor,
) -> Result<Project, PlaceError> {
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

/// Who is to see the project. What the archive says is narrowed to what the group allows, because its server had other groups; what
/// the importer says is not, and refused where it is too wide.
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

/// Whether a project was made of an archive, as its log tells.
///
/// # Errors
/// Failures of the store.
pub fn was_imported(tx: &mut dyn ReadTransaction, project: ProjectId) -> Result<bool, StoreError> {
    let entity = AuditEntity::Project(project);
    let page = KeysetPage::new(FIRST_ENTRIES, SortOrder::Ascending);
    let first = tx.list_audit_entries(entity, None, page)?;
    let mut first = first.items.iter();
    Ok(first.any(|entry| entry.event_name == AuditEventName::ProjectImported))
}
