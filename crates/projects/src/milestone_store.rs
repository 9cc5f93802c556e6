//! The repository traits of milestones.

use api_conventions::ids::{MilestoneId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{Milestone, MilestoneContent, MilestoneFilter, NewMilestone};

/// What a transaction of either kind can tell about milestones.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
pub trait MilestoneQueries {
    /// A milestone of this project.
    fn find_milestone(
        &mut self,
        project: ProjectId,
        id: MilestoneId,
    ) -> Result<Option<Milestone>, StoreError>;

    /// A page of the milestones of a project that match, the newest id first.
    fn list_milestones(
        &mut self,
        project: ProjectId,
        filter: &MilestoneFilter,
        page: OffsetPage,
    ) -> Result<Page<Milestone>, StoreError>;
}

/// What happened to a milestone that was to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SaveMilestone {
    /// It is there as it was written.
    Saved(Milestone),
    /// Another milestone of the project has the title. Nothing was written, and no number was used.
    TitleTaken,
    /// The project has no such milestone. An insertion never gives this.
    NotFound,
}

/// What a write transaction can change about milestones.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
pub trait MilestoneRepository: MilestoneQueries {
    /// Inserts a milestone under the next number of its project: numbers begin with 1 and have no gaps, and that of a
    /// milestone that was deleted is not given again. The project must exist.
    fn insert_milestone(&mut self, new: &NewMilestone) -> Result<SaveMilestone, StoreError>;

    /// Writes the content of a milestone anew.
    fn update_milestone(
        &mut self,
        project: ProjectId,
        id: MilestoneId,
        content: &MilestoneContent,
        now: Timestamp,
    ) -> Result<SaveMilestone, StoreError>;

    /// Deletes a milestone; whether it was there.
    fn delete_milestone(&mut self, project: ProjectId, id: MilestoneId)
    -> Result<bool, StoreError>;
}
