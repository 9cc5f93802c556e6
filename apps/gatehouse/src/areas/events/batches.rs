//! Batches of feed entries, of one author or of the projects of a member.

use api_conventions::access::AccessLevel;
use api_conventions::ids::UserId;
use api_conventions::time::CalendarDate;
use events::{AuthorFilter, AuthoredEvent, EventFilter, ProjectSetFilter};
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;

/// Entries read by the first query of a list.
pub(super) const BATCH_SIZE: usize = 250;
/// Entries read by each further query: a query examines all projects of a member, however few entries it returns.
pub(super) const LARGE_BATCH_SIZE: usize = 2_000;
/// Most projects of a member whose entries are listed: the newest.
pub(super) const MAX_PROJECTS: usize = 20_000;

/// Scope of a feed of several projects.
#[derive(Debug, Clone, Copy)]
pub(super) enum ActivityScope {
    /// Entries of one user.
    Author(UserId),
    /// Entries of all users in the projects in which one user has a role.
    ProjectsOf(UserId),
}

/// Entries of a scope, read in batches.
#[derive(Debug)]
pub(super) enum EventBatches {
    /// Entries of one user.
    OfAuthor(AuthorFilter),
    /// Entries of a set of projects.
    OfProjects(ProjectSetFilter),
}

impl EventBatches {
    /// Begins with the entries after that of the filter, of which the days and the sort direction count, too.
    pub(super) fn begin(
        tx: &mut dyn ReadTransaction,
        scope: ActivityScope,
        filter: &EventFilter,
        today: CalendarDate,
    ) -> Result<Self, StoreError> {
        let (days, sort, after_id) = (filter.days(), filter.sort, filter.after_id);
        Ok(match scope {
            ActivityScope::Author(author_id) => Self::OfAuthor(AuthorFilter {
                author_id,
                days,
                sort,
                after_id,
            }),
            ActivityScope::ProjectsOf(user) => {
                let project_ids =
                    tx.list_project_ids_of_user(user, AccessLevel::Guest, today, MAX_PROJECTS)?;
                let ids = tx.find_event_ids(&project_ids, days)?;
                Self::OfProjects(ProjectSetFilter {
                    project_ids,
                    days,
                    ids,
                    sort,
                    after_id,
                })
            }
        })
    }

    /// Returns the next entries, at most `size`.
    /// Fewer are the last.
    pub(super) fn next(
        &mut self,
        tx: &mut dyn ReadTransaction,
        size: usize,
    ) -> Result<Vec<AuthoredEvent>, StoreError> {
        let batch = match self {
            Self::OfAuthor(filter) => tx.list_author_events(filter, size)?,
            Self::OfProjects(filter) => tx.list_events_of_projects(filter, size)?,
        };
        let after_id = match self {
            Self::OfAuthor(filter) => &mut filter.after_id,
            Self::OfProjects(filter) => &mut filter.after_id,
        };
        *after_id = batch.last().map(|last| last.event.id);
        Ok(batch)
    }
}
