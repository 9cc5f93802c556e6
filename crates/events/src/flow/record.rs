//! Recording of events.

use api_conventions::ids::{ProjectId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Action, Audience, NewEvent};
use crate::store::EventRepository;

/// Records the creation of a project.
/// The event has no target, because it is about the project itself.
///
/// # Errors
/// Failures of the store.
pub fn record_project_created<R: EventRepository + ?Sized>(
    repos: &mut R,
    project_id: ProjectId,
    author_id: UserId,
    now: Timestamp,
) -> Result<(), StoreError> {
    repos.insert_events(&[NewEvent {
        project_id,
        author_id,
        action: Action::Created,
        target: None,
        push: None,
        audience: Audience::Everyone,
        created_at: now,
    }])
}
