//! Finding a project as somebody who may not see all of them.

use api_conventions::reference::ProjectRef;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Membership, Project, Reader};
use crate::rules::access::ProjectAccess;
use crate::store::ProjectQueries;

/// The project and what the reader may do in it, or `None` when it does not exist for this reader.
///
/// # Errors
/// Failures of the store.
pub fn find_visible_project<R: ProjectQueries + ?Sized>(
    repos: &mut R,
    reference: &ProjectRef,
    reader: Reader,
    now: Timestamp,
) -> Result<Option<(Project, ProjectAccess)>, StoreError> {
    let Some(project) = repos.find_project(reference)? else {
        return Ok(None);
    };
    let membership = match reader.user_id() {
        Some(user) => repos.find_membership(user, project.id, now.date())?,
        None => Membership::default(),
    };
    let access = ProjectAccess::judge(reader, membership, project.visibility);
    Ok(access.map(|access| (project, access)))
}
