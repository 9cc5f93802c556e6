//! The repository traits of issues.

use api_conventions::ids::{IssueId, IssueIid, LabelId, MilestoneId, ProjectId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::{Locked, StoreError};

use crate::model::{
    Issue, IssueBody, IssueCounts, IssueFilter, Label, NewIssue, OpenIssues, ProjectMilestone,
};

/// Read queries on issues, in read and write transactions.
///
/// An adapter may limit the issues that it examines for one list or count to no fewer than 100,000.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
)]
#[storage::queries]
pub trait IssueQueries {
    /// Returns the issue with this number in the project, without an access check.
    fn find_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Issue>, StoreError>;

    /// Returns the issue with this id, without an access check.
    fn find_issue_by_id(&mut self, id: IssueId) -> Result<Option<Issue>, StoreError>;

    /// Projects and numbers of the issues of an author, without an access check, ordered by id, at most `limit`.
    fn list_issues_of_author(
        &mut self,
        author: UserId,
        limit: usize,
    ) -> Result<Vec<(ProjectId, IssueIid)>, StoreError>;

    /// Page of the matching issues.
    /// Roles count on the day `today`. The total stops counting at
    /// [`Total::COUNT_LIMIT`](api_conventions::page::Total::COUNT_LIMIT) rows. If a page is filled within the limit but
    /// the list continues beyond it, the total may be [`Uncounted`](api_conventions::page::Total::Uncounted).
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when the page cannot be determined within the limit.
    fn list_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Issue>, StoreError>;

    /// Counts the matching issues by state.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when they cannot be counted within the limit.
    fn count_issues(
        &mut self,
        filter: &IssueFilter,
        today: CalendarDate,
    ) -> Result<IssueCounts, StoreError>;

    /// Counts the matching issues by label and state.
    /// Labels without issues are left out.
    ///
    /// # Errors
    /// [`TooMuchWork`](storage::StoreErrorKind::TooMuchWork) when they cannot be counted within the limit.
    fn count_issues_by_label(
        &mut self,
        filter: &IssueFilter,
        labels: &[LabelId],
        today: CalendarDate,
    ) -> Result<Vec<(LabelId, IssueCounts)>, StoreError>;

    /// Counts the open issues of each of these projects, in no particular order.
    /// The cost does not depend on the number of issues. Unknown projects are left out.
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
    fn list_milestones_by_id(
        &mut self,
        ids: &[MilestoneId],
    ) -> Result<Vec<ProjectMilestone>, StoreError>;
}

/// Write operations on issues.
///
/// # Errors
/// Every method gives a [`StoreError`] when the store fails.
#[expect(
    clippy::missing_errors_doc,
    reason = "documented once for all methods, on the trait"
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
    /// Locks the issues, labels and milestones of a project against inserts, updates and deletes of other transactions
    /// until this one ends.
    /// Returns `false` if the project does not exist.
    fn lock_issues(&mut self, project: ProjectId) -> Result<bool, StoreError>;

    /// Inserts an issue under the next number of its project.
    /// The project, the labels and the milestone must exist.
    fn insert_issue(&mut self, new: &NewIssue) -> Result<Issue, StoreError>;

    /// Skips the issue numbers of a project up to and including `through`, for imported issues: the next issue gets a
    /// greater number. The project must exist. Numbers already in use stay, so a number no greater than the last one
    /// changes nothing.
    /// `through` must be less than the greatest possible number.
    fn skip_issue_numbers(
        &mut self,
        project: ProjectId,
        through: IssueIid,
    ) -> Result<(), StoreError>;

    /// Returns the issue with this number, under the lock of [`lock_issues`](Self::lock_issues).
    /// A change can therefore be computed from the result.
    fn lock_issue(
        &mut self,
        project: ProjectId,
        iid: IssueIid,
    ) -> Result<Option<Locked<Issue>>, StoreError>;

    /// Writes the parts of an issue that an edit can change, at the time `now`.
    /// All other parts stay.
    fn update_issue(
        &mut self,
        issue: Locked<Issue>,
        body: IssueBody,
        now: Timestamp,
    ) -> Result<Issue, StoreError>;

    /// Deletes an issue with its dependent data and returns it.
    fn delete_issue(&mut self, issue: Locked<Issue>) -> Result<Issue, StoreError>;
}
