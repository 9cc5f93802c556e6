//! The repository traits of issues.

use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use crate::model::{
    Issue, IssueBody, IssueCounts, IssueFilter, Label, Milestone, NewIssue, OpenIssues,
};

/// What a transaction of either kind can tell about issues.
///
/// An adapter may limit the issues that it examines for one list or count to no fewer than 100,000.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::queries]
pub trait IssueQueries {
    /// The issue with this number in the project, without a check of who may see it.
    fn find_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Issue>, StoreError>;

    /// The issue with this id, without a check of who may see it.
    fn find_issue_by_id(&mut self, id: IssueId) -> Result<Option<Issue>, StoreError>;

    /// One page of the issues that match. Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows. Where a page is filled within the limit but
    /// the list goes on beyond it, the total may be [`Uncounted`](api_conventions::page::Total::Uncounted).
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined within the limit.
    fn list_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Issue>, StoreError>;

    /// How many issues match, by their state.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when they cannot be counted within the limit.
    fn count_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
    ) -> Result<IssueCounts, StoreError>;

    /// How many of the issues that match have each of these labels. A label without any is left out.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when they cannot be counted within the limit.
    fn count_issues_by_label(
        &mut self,
        filter: &IssueFilter,
        labels: &[LabelId],
        today: CalendarDate,
    ) -> Result<Vec<(LabelId, IssueCounts)>, StoreError>;

    /// How many issues of each of these projects are open, in no particular order. It costs no more where there are many issues.
    /// Unknown projects are left out.
    fn count_open_issues(
        &mut self,
        projects: &[ProjectId],
    ) -> Result<Vec<(ProjectId, OpenIssues)>, StoreError>;

    /// The labels with these ids, in no particular order; unknown ids are left out.
    fn list_labels_by_id(&mut self, ids: &[LabelId]) -> Result<Vec<Label>, StoreError>;

    /// The labels of a project that have one of these titles, in no particular order.
    fn list_labels_by_title(
        &mut self,
        project: ProjectId,
        titles: &[String],
    ) -> Result<Vec<Label>, StoreError>;

    /// The milestones with these ids, in no particular order; unknown ids are left out.
    fn list_milestones_by_id(&mut self, ids: &[MilestoneId]) -> Result<Vec<Milestone>, StoreError>;
}

/// What a write transaction can change about issues.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "the documentation of the trait says it once for all methods"
)]
#[storage::repository(keeps(
    lock_issues,
    insert_issue,
    skip_issue_numbers,
    lock_issue,
    update_issue,
    delete_issue
))]
pub trait IssueRepository: IssueQueries {
    /// Keeps others from inserting, changing and deleting issues, labels and milestones of a project until the transaction
    /// ends. Whether the project is there.
    fn lock_issues(&mut self, project: ProjectId) -> Result<bool, StoreError>;

    /// Inserts an issue under the next number of its project, which must exist, as must its labels and its milestone.
    fn insert_issue(&mut self, new: &NewIssue) -> Result<Issue, StoreError>;

    /// Leaves out the numbers of issues of a project, which must exist, up to and including `through`, as a project has them whose
    /// issues came from elsewhere: the next issue gets a greater one. Numbers that were given stay, so a number that is no greater
    /// than the last one changes nothing. `through` is less than the greatest number that there is.
    fn skip_issue_numbers(
        &mut self,
        project: ProjectId,
        through: IssueIid,
    ) -> Result<(), StoreError>;

    /// The issue with this number, with the lock of [`lock_issues`](Self::lock_issues), so a change can be worked out from
    /// what is found here.
    fn lock_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Locked<Issue>>, StoreError>;

    /// Writes what an edit changes of an issue, at the time `now`. What is not written anew stays.
    fn update_issue(
        &mut self,
        issue: Locked<Issue>,
        body: IssueBody,
        now: Timestamp,
    ) -> Result<Issue, StoreError>;

    /// Deletes an issue with all that hangs on it, and gives it as it was.
    fn delete_issue(&mut self, issue: Locked<Issue>) -> Result<Issue, StoreError>;
}
