//! Creating, getting, updating and deleting issues.

mod apply;
mod change;
mod create;
mod delete;
mod find;
mod update;

use std::collections::BTreeSet;

use api_conventions::error::{ApiError, ValidationFailures};
use api_conventions::ids::{MilestoneId, UserId};
use api_conventions::time::Timestamp;
use records::{RecordError, RecordRepository};
use storage::StoreError;

pub use change::IssueChange;
pub use create::create_issue;
pub use delete::delete_issue;
pub use find::find_issue;
pub use update::update_issue;

use crate::model::{Issue, IssueContentEdit, IssueState, LabelContent, MilestoneContent, Viewer};
use crate::rules::access::ProjectAccess;
use crate::store::IssueRepository;

/// Maximum number of assignees of an issue.
pub const MAX_ASSIGNEES: usize = 200;
/// Maximum number of labels of an issue.
pub const MAX_LABELS: usize = 500;
/// Color of labels that are created because an issue names them.
pub const DEFAULT_COLOR: &str = "#428BCA";

/// Repositories that an operation on issues needs.
pub trait IssueTx:
    IssueRepository + RecordRepository<LabelContent> + RecordRepository<MilestoneContent>
{
}

impl<T> IssueTx for T where
    T: IssueRepository
        + RecordRepository<LabelContent>
        + RecordRepository<MilestoneContent>
        + ?Sized
{
}

/// User who acts in a project that it sees, and the current time.
#[derive(Debug, Clone, Copy)]
pub struct IssueActor {
    /// The user, as a viewer.
    pub viewer: Viewer,
    /// The user.
    pub user: UserId,
    /// Permissions of the user in the project.
    pub access: ProjectAccess,
    /// Current time.
    pub now: Timestamp,
}

/// Edit of the labels of an issue.
/// Labels are named by title.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelsEdit {
    /// Replaces all labels with these; `None` keeps the existing ones.
    pub set: Option<Vec<String>>,
    /// Labels to add.
    pub add: Vec<String>,
    /// Labels to remove.
    pub remove: Vec<String>,
}

/// Edit of an issue.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueEdit {
    /// Edit of the content.
    pub content: IssueContentEdit,
    /// New state.
    pub state: Option<IssueState>,
    /// New milestone, or `Some(None)` to remove it.
    pub milestone: Option<Option<MilestoneId>>,
    /// Edit of the labels.
    pub labels: LabelsEdit,
    /// New assignees.
    /// The caller has rejected users who cannot read the project.
    pub assignees: Option<BTreeSet<UserId>>,
}

/// Error from an operation on an issue.
/// Nothing is stored in that case.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssueError {
    /// Invalid attributes, each with its errors.
    #[error("invalid issue: {0}")]
    Invalid(ValidationFailures),
    /// The issue does not exist, or the user may not know of it.
    #[error("issue not found")]
    Unknown,
    /// The user sees the issue but lacks permission for the operation.
    #[error("the user lacks permission for this operation on the issue")]
    Forbidden,
    /// The issue changed since the caller read it.
    #[error("the issue was changed in the meantime")]
    Changed,
    /// A label that had to be created was rejected.
    #[error(transparent)]
    Label(RecordError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<IssueError> for ApiError {
    fn from(error: IssueError) -> Self {
        match error {
            IssueError::Invalid(failures) => Self::validation(&failures),
            IssueError::Unknown => Self::not_found(Issue::NAME),
            IssueError::Forbidden => Self::forbidden(),
            IssueError::Changed => Self::precondition_failed(),
            IssueError::Label(error) => error.into(),
            IssueError::Store(store) => Self::storage_failure(store.is_retryable()),
        }
    }
}
