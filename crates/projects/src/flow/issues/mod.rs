//! Making, finding, changing and deleting issues.

mod apply;
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

pub use create::create_issue;
pub use delete::delete_issue;
pub use find::find_issue;
pub use update::update_issue;

use crate::model::{Issue, IssueContentEdit, IssueState, LabelContent, MilestoneContent, Viewer};
use crate::rules::access::ProjectAccess;
use crate::store::IssueRepository;

/// The most users that an issue is assigned to.
pub const MAX_ASSIGNEES: usize = 200;
/// The most labels that an issue has.
pub const MAX_LABELS: usize = 500;
/// The color of labels that are made because an issue names them.
pub const DEFAULT_COLOR: &str = "#428BCA";

/// The repositories that a change of an issue needs.
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

/// Who acts in a project that it sees, and when.
#[derive(Debug, Clone, Copy)]
pub struct Actor {
    /// The user, as a viewer.
    pub viewer: Viewer,
    /// The user.
    pub user: UserId,
    /// What it may do in the project.
    pub access: ProjectAccess,
    /// Now.
    pub now: Timestamp,
}

/// How the labels of an issue change. Labels are named by their titles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelsEdit {
    /// The labels that it is to have and no others; `None` keeps those that it has.
    pub set: Option<Vec<String>>,
    /// Labels that it gets besides.
    pub add: Vec<String>,
    /// Labels that it loses.
    pub remove: Vec<String>,
}

/// How an issue changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IssueEdit {
    /// What people write.
    pub content: IssueContentEdit,
    /// The state that it is to have.
    pub state: Option<IssueState>,
    /// The milestone that it is to have, or `Some(None)` to have none.
    pub milestone: Option<Option<MilestoneId>>,
    /// Its labels.
    pub labels: LabelsEdit,
    /// Who is to do it. The caller has refused those who may not read the project.
    pub assignees: Option<BTreeSet<UserId>>,
}

/// Why nothing is done to an issue. Nothing is stored then.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IssueError {
    /// Attributes are wrong; each is named with what is wrong.
    #[error("the issue is not valid: {0}")]
    Invalid(ValidationFailures),
    /// There is no such issue, or the user may not know of it.
    #[error("there is no such issue")]
    Unknown,
    /// The user sees it and may not do this.
    #[error("the user may not do this to the issue")]
    Forbidden,
    /// It changed since the caller read it.
    #[error("the issue was changed meanwhile")]
    Changed,
    /// A label that had to be made was refused.
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
